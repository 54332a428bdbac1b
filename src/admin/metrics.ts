import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/**
 * What is counted, under Istio's names where Istio counts the same, so that existing dashboards work. Types are
 * `cds`, `eds`, …; times are in seconds.
 */
export type Metrics = ReturnType<typeof createMetrics>;

const updateTypes: ReadonlyMap<string, string> = new Map([
  ["service", "svc"],
  ["endpoint", "eds"],
]);

const seconds = [0.01, 0.1, 0.5, 1, 3, 5, 10, 20, 30];

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  function counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers });
  }
  function histogram<Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) {
    return new Histogram({ name, help, labelNames, buckets, registers });
  }

  const inboundUpdates = counter("pilot_inbound_updates", "Changes that reached Pilot, by what changed.", "type");
  return {
    registry,
    pushes: counter("pilot_xds_pushes", "Responses that left, by type.", "type"),
    rejects: counter("pilot_total_xds_rejects", "Responses that proxies rejected, by type.", "type"),
    expiredNonces: counter("pilot_xds_expired_nonce", "Requests that spoke of an older response.", "type"),
    delayedPushes: counter(
      "pilot_xds_delayed_pushes_total",
      "Changes that had to wait for the acknowledgement of an earlier response.",
      "type",
    ),
    delayedPushTimeouts: counter(
      "pilot_xds_delayed_push_timeouts_total",
      "Acknowledgements that did not come in time, so that they were no longer waited for.",
      "type",
    ),
    internalErrors: counter("pilot_total_xds_internal_errors", "Failures of our own: generators and pushes."),
    pushTriggers: counter("pilot_push_triggers", "Causes of pushes.", "type"),
    configSize: histogram(
      "pilot_xds_config_size_bytes",
      "Size of the responses.",
      [1, 1e4, 1e6, 4e6, 1e7, 4e7],
      "type",
    ),
    convergence: histogram(
      "pilot_proxy_convergence_time",
      "From a change to the moment its last response left for a proxy.",
      [0.1, 0.5, 1, 3, 5, 10, 20, 30],
    ),
    contextInit: histogram("pilot_pushcontext_init_seconds", "Making what a push is made from.", seconds),
    refused: counter("binnacle_xds_refused_total", "Streams that were turned away."),
    /** Counts the reasons of a push request, in Istio's words. */
    countUpdates(reasons: ReadonlyMap<string, number>) {
      for (const [reason, count] of reasons) inboundUpdates.inc({ type: updateTypes.get(reason) ?? "config" }, count);
    },
    /** A gauge that looks at the moment it is asked. `values` gives one number per label value. */
    observe(
      name: string,
      help: string,
      label: string,
      values: () => Iterable<readonly [value: string, count: number]>,
    ) {
      return new Gauge({
        name,
        help,
        labelNames: label === "" ? [] : [label],
        registers,
        collect() {
          this.reset();
          for (const [value, count] of values()) this.set(label === "" ? {} : { [label]: value }, count);
        },
      });
    },
  };
}
