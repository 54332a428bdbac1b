import type { Metrics } from "../metrics/metrics.ts";

/** Metrics of the mutating webhook's registration with Kubernetes. */
export class InjectorMetrics {
  readonly updates;
  readonly updateErrors;

  constructor(metrics: Metrics) {
    this.updates = metrics.counter(
      "binnacle_injector_config_updates_total",
      "Updates of MutatingWebhookConfigurations of this revision.",
    );
    this.updateErrors = metrics.counter(
      "binnacle_injector_config_update_errors_total",
      "Failed updates of MutatingWebhookConfigurations, by the API server's reason.",
      "reason",
    );
  }
}
