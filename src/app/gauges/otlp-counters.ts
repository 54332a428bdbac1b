import type { Metrics } from "../../admin/metrics/metrics.ts";

export type OtlpCounters = ReturnType<typeof otlpCounters>;

/** Counts the telemetry that left, or not. Signals are `traces` and `metrics`. */
export function otlpCounters(metrics: Metrics) {
  return {
    sent: metrics.counter(
      "binnacle_otlp_sent_total",
      "Spans and data points that the OpenTelemetry collector (--otlp-endpoint) accepted, by signal: traces or metrics.",
      "signal",
    ),
    dropped: metrics.counter(
      "binnacle_otlp_dropped_total",
      "Spans and data points that were dropped, by signal: the collector refused them, or the queue was full.",
      "signal",
    ),
  };
}
