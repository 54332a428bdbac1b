/** One query. `{$}` in it stands for the selected servers: `pilot_xds{$}`, `pilot_xds{$,version="1"}`. */
export interface Query {
  readonly expr: string;
  /** The name of a line, such as `{{type}}`. */
  readonly legend?: string;
}

export interface Panel {
  readonly title: string;
  /** One or two sentences for a reader who does not know the metric. */
  readonly about: string;
  /** A unit of Grafana. */
  readonly unit?: "short" | "ops" | "s" | "ms" | "bytes" | "Bps" | "percentunit" | "d";
  /** One large number instead of lines over time. Red from this value on, if there is one. */
  readonly stat?: { readonly redFrom?: number };
  readonly queries: readonly Query[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** One dashboard. Its uid is also the name of its file. */
export interface Board {
  readonly uid: string;
  readonly title: string;
  readonly about: string;
  readonly rows: readonly Row[];
}

/** Lines of the rate of a counter, by a label. */
export function rates(metric: string, by: string): readonly Query[] {
  return [{ expr: `sum by (${by}) (rate(${metric}{$}[$__rate_interval]))`, legend: `{{${by}}}` }];
}

/** Lines of a gauge, by a label. */
export function sums(metric: string, by: string): readonly Query[] {
  return [{ expr: `sum by (${by}) (${metric}{$})`, legend: `{{${by}}}` }];
}

/** The median and the 99th percentile of a histogram. */
export function quantiles(metric: string): readonly Query[] {
  return [0.5, 0.99].map((share) => ({ expr: quantile(metric, share, "le"), legend: `p${share * 100}` }));
}

/** The 99th percentile of a histogram, by a label. */
export function slowest(metric: string, by: string): readonly Query[] {
  return [{ expr: quantile(metric, 0.99, `le, ${by}`), legend: `{{${by}}}` }];
}

function quantile(metric: string, share: number, by: string): string {
  return `histogram_quantile(${share}, sum by (${by}) (rate(${metric}_bucket{$}[$__rate_interval])))`;
}
