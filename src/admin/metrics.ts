import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

const seconds = [0.01, 0.1, 0.5, 1, 3, 5, 10, 20, 30];
const bytes = [1, 1e4, 1e6, 4e6, 1e7, 4e7];

/** Reasons of push requests, in Istio's words. */
const updateTypes: ReadonlyMap<string, string> = new Map([
  ["service", "svc"],
  ["endpoint", "eds"],
]);

/** Looked up when Prometheus asks. Without a label there is one value, under "". */
export interface Observed {
  readonly type: "gauge" | "counter";
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly values: () => Iterable<readonly [label: string, value: number]>;
}

/**
 * What is counted, under Istio's names where Istio counts the same, so that existing dashboards work. Types are
 * `cds`, `eds`, …; times are in seconds. One object per control plane: nothing is registered globally.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly pushes = this.#counter("pilot_xds_pushes", "Responses that left.", "type");
  readonly rejects = this.#counter("pilot_total_xds_rejects", "Responses that proxies rejected.", "type");
  readonly expiredNonces = this.#counter("pilot_xds_expired_nonce", "Requests about an older response.", "type");
  readonly delayedPushes = this.#counter(
    "pilot_xds_delayed_pushes_total",
    "Changes that had to wait for the acknowledgement of an earlier response.",
    "type",
  );
  readonly delayedPushTimeouts = this.#counter(
    "pilot_xds_delayed_push_timeouts_total",
    "Acknowledgements that did not come in time.",
    "type",
  );
  readonly internalErrors = this.#counter("pilot_total_xds_internal_errors", "Generators and pushes that failed.");
  readonly pushTriggers = this.#counter("pilot_push_triggers", "Causes of pushes.", "type");
  readonly refusedStreams = this.#counter("binnacle_xds_refused_total", "Streams that were turned away.");
  readonly configSize = this.#histogram("pilot_xds_config_size_bytes", "Size of the responses.", bytes, "type");
  readonly contextInit = this.#histogram("pilot_pushcontext_init_seconds", "Making what a push is made from.", seconds);
  readonly convergence = this.#histogram(
    "pilot_proxy_convergence_time",
    "From a change to the moment when its last response left for a proxy.",
    seconds,
  );
  readonly #inboundUpdates = this.#counter("pilot_inbound_updates", "Changes that reached Pilot.", "type");

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Takes the reasons of a push request. */
  countUpdates(reasons: ReadonlyMap<string, number>): void {
    for (const [reason, count] of reasons) {
      this.#inboundUpdates.inc({ type: updateTypes.get(reason) ?? "config" }, count);
    }
  }

  observe({ type, name, help, label, values }: Observed): void {
    const Kind = type === "gauge" ? Gauge : Counter;
    const metric = new Kind({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.registry],
      collect() {
        metric.reset();
        for (const [text, value] of values()) metric.inc(label === undefined ? {} : { [label]: text }, value);
      },
    });
  }

  #counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram<Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}
