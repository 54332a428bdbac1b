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
      "How often the webhook's configuration in Kubernetes was brought in line.",
    );
    this.updateErrors = metrics.counter(
      "galley_validation_config_update_error",
      "Why it could not be: the API server's word, or `NotFound` where there is none.",
      "reason",
    );
    this.loads = metrics.counter(
      "galley_validation_config_load",
      "How often the authority of the webhook's certificate was read.",
    );
    this.loadErrors = metrics.counter(
      "galley_validation_config_load_error",
      "Authorities that could not be used, so that the last ones stayed in use.",
    );
  }
}
