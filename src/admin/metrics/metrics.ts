import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Looked up when Prometheus asks. */
export interface Observed<Label extends string = never> {
  readonly type: "gauge" | "counter";
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  readonly values: () => Iterable<readonly [labels: Readonly<Record<Label, string>>, value: number]>;
}

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
      collect() {
        metric.reset();
        for (const [labelled, value] of values()) metric.inc(labelled, value);
      },
    });
  }
}
