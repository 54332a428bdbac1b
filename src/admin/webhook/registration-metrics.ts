import type { Metrics } from "../metrics/metrics.ts";

/** Metrics of the webhook's registration with Kubernetes, under Galley's names. */
export class RegistrationMetrics {
  readonly updates;
  readonly updateErrors;
  readonly loads;
  readonly loadErrors;

  constructor(metrics: Metrics) {
    this.updates = metrics.counter(
      "galley_validation_config_updates",
      "Updates of the ValidatingWebhookConfiguration.",
    );
    this.updateErrors = metrics.counter(
      "galley_validation_config_update_error",
      "Failed updates of the ValidatingWebhookConfiguration, by the API server's reason. `NotFound` means that it does not exist.",
      "reason",
    );
    this.loads = metrics.counter("galley_validation_config_load", "Loads of the CA certificate of the webhook.");
    this.loadErrors = metrics.counter(
      "galley_validation_config_load_error",
      "CA certificates that could not be loaded. The last good ones stay in use.",
    );
  }
}
