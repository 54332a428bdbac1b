import type { Metrics } from "../metrics/metrics.ts";

/** Metrics of the webhook, under Galley's names. */
export class WebhookMetrics {
  readonly passed;
  readonly failed;
  readonly httpErrors;
  readonly keyPairUpdates;
  readonly keyPairUpdateErrors;

  constructor(metrics: Metrics) {
    this.passed = metrics.counter(
      "galley_validation_passed",
      "Objects that the webhook let pass.",
      "group",
      "version",
      "resource",
    );
    this.failed = metrics.counter(
      "galley_validation_failed",
      "Objects that the webhook refused, and operations that it does not check (`unsupported_operation`).",
      "group",
      "version",
      "resource",
      "reason",
    );
    this.httpErrors = metrics.counter(
      "galley_validation_http_error",
      "Calls to the webhook that were no reviews.",
      "status",
    );
    this.keyPairUpdates = metrics.counter(
      "galley_validation_cert_key_updates",
      "How often the webhook's certificate was replaced.",
    );
    this.keyPairUpdateErrors = metrics.counter(
      "galley_validation_cert_key_update_errors",
      "Certificates and keys that could not be used, so that the last ones stayed in use.",
      "error",
    );
  }
}
