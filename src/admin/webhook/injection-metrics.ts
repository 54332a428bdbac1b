import type { Metrics } from "../metrics/metrics.ts";

/** Metrics of the mutating webhook, under Istio's names. */
export class InjectionMetrics {
  readonly requests;
  readonly successes;
  readonly failures;
  readonly skips;

  constructor(metrics: Metrics) {
    this.requests = metrics.counter("sidecar_injection_requests_total", "Pods that the webhook was asked about.");
    this.successes = metrics.counter("sidecar_injection_success_total", "Pods that got a proxy, or needed none.");
    this.failures = metrics.counter(
      "sidecar_injection_failure_total",
      "Pods that were refused because of a mistake, and requests that are no reviews.",
    );
    this.skips = metrics.counter("sidecar_injection_skip_total", "Pods that got no proxy, by reason.", "reason");
  }
}
