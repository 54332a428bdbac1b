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
      "Objects that the webhook admitted.",
      "group",
      "version",
      "resource",
    );
    this.failed = metrics.counter(
      "galley_validation_failed",
      "Objects that the webhook denied, and operations that it does not check (`unsupported_operation`).",
      "group",
      "version",
      "resource",
      "reason",
    );
    this.httpErrors = metrics.counter(
      "galley_validation_http_error",
      "Requests to the webhook that are not admission reviews.",
      "status",
    );
    this.keyPairUpdates = metrics.counter(
      "galley_validation_cert_key_updates",
      "Reloads of the webhook's certificate.",
    );
    this.keyPairUpdateErrors = metrics.counter(
      "galley_validation_cert_key_update_errors",
      "Certificates and keys that could not be loaded. The last good ones stay in use.",
      "error",
    );
  }
}
