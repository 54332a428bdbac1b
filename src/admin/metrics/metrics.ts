import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Looked up when Prometheus asks. */
export interface Observed<Label extends string = never> {
  readonly type: "gauge" | "counter";
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  readonly values: () => Iterable<readonly [labels: Readonly<Record<Label, string>>, value: number]>;
}

/** Looks up the values of a metric. Undefined when that fails: the other metrics are told all the same. */
export type LookUp = <T>(metric: string, values: () => T) => T | undefined;

let ofProcess: Registry | undefined;

/**
 * What is measured of the process itself. There is no end to that once it began, so it begins once, and not with each
 * control plane: what it is registered with would be held for ever.
 */
function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/**
 * Everything that is counted for one control plane; nothing of it is registered globally. What is counted for whom stands in
 * `pilot-metrics.ts` and `galley-metrics.ts`, under Istio's names where Istio counts the same, so that existing
 * dashboards work.
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

  /** One number, looked up when Prometheus asks. */
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
        // All of them before the first is told: a metric is whole or absent.
        const all = this.#lookUp(name, () => [...values()]);
        for (const [labelled, value] of all ?? []) metric.inc(labelled, value);
      },
    });
  }
}
