import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** A metric that is read when Prometheus scrapes. */
export interface Observed<Label extends string = never> {
  readonly type: "gauge" | "counter";
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  readonly values: () => Iterable<readonly [labels: Readonly<Record<Label, string>>, value: number]>;
}

/** Reads the values of a metric. Undefined when that fails, so that the other metrics are still reported. */
export type LookUp = <T>(metric: string, values: () => T) => T | undefined;

let ofProcess: Registry | undefined;

/**
 * Metrics of the process itself. Their collection never ends once it began. So it begins once, not with each control
 * plane, whose registry would stay in memory forever.
 */
function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/**
 * All metrics of one control plane. Nothing is registered globally. The metrics are in `pilot-metrics.ts` and
 * `galley-metrics.ts`. They use Istio's names where Istio has the same metric, so that existing dashboards work.
 */
export class Metrics {
  readonly registry = Registry.merge([processMetrics()]);
  readonly #lookUp: LookUp;

  constructor(lookUp: LookUp = (_, values) => values()) {
    this.#lookUp = lookUp;
  }

  counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  histogram<Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** One number, read when Prometheus scrapes. */
  gauge(name: string, help: string, value: () => number): void {
    this.observe({ type: "gauge", name, help, values: () => [[{}, value()]] });
  }

  observe<Label extends string = never>({ type, name, help, labels = [], values }: Observed<Label>): void {
    const Kind = type === "gauge" ? Gauge : Counter;
    const metric = new Kind({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      collect: () => {
        metric.reset();
        // Reads all values before the first is set: a metric is complete or absent.
        const all = this.#lookUp(name, () => [...values()]);
        for (const [labelled, value] of all ?? []) metric.inc(labelled, value);
      },
    });
  }
}
