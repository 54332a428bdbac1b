/** One series of a metric: `pilot_xds_pushes{type="cds"} 12`. */
interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The metrics of a server at one moment, read from the text for Prometheus. */
export class MetricValues {
  readonly #series = new Map<string, Series[]>();

  constructor(text: string) {
    for (const line of text.split("\n")) {
      const found = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)/u.exec(line)?.groups;
      if (found?.["name"] === undefined) continue;
      const series = { labels: labelsIn(found["labels"] ?? ""), value: Number(found["value"]) };
      const known = this.#series.get(found["name"]);
      if (known === undefined) this.#series.set(found["name"], [series]);
      else known.push(series);
    }
  }

  /** The sum over all series; undefined if the server does not have the metric. */
  sum(name: string): number | undefined {
    return this.#series.get(name)?.reduce((sum, { value }) => sum + value, 0);
  }

  /** The values by one label. */
  by(name: string, label: string): ReadonlyMap<string, number> {
    const values = new Map<string, number>();
    for (const { labels, value } of this.#series.get(name) ?? []) {
      const key = labels[label] ?? "";
      values.set(key, (values.get(key) ?? 0) + value);
    }
    return values;
  }
}

function labelsIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.matchAll(/(?<name>\w+)="(?<value>(?:[^"\\]|\\.)*)"/gu);
  return Object.fromEntries(Array.from(pairs, ({ groups }) => [groups?.["name"] ?? "", groups?.["value"] ?? ""]));
}
