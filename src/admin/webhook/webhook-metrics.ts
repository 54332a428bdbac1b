import { Counter } from "prom-client";
import type { Metrics } from "../metrics.ts";

/** What a review is about. */
const subject = ["group", "version", "resource"] as const;

/** What the webhook counts, under Galley's names. */
export class WebhookMetrics {
  readonly passed;
  readonly failed;
  readonly httpErrors;
  readonly keyPairUpdates;
  readonly keyPairUpdateErrors;

  constructor({ registry }: Pick<Metrics, "registry">) {
    const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name: `galley_validation_${name}`, help, labelNames, registers: [registry] });

    this.passed = counter("passed", "Objects that the webhook let pass.", ...subject);
    this.failed = counter(
      "failed",
      "Objects that the webhook refused, and operations that it does not check (`unsupported_operation`).",
      ...subject,
      "reason",
    );
    this.httpErrors = counter("http_error", "Calls to the webhook that were no reviews.", "status");
    this.keyPairUpdates = counter("cert_key_updates", "How often the webhook's certificate was replaced.");
    this.keyPairUpdateErrors = counter(
      "cert_key_update_errors",
      "Certificates and keys that could not be used, so that the last ones stayed in use.",
      "error",
    );
  }
}
