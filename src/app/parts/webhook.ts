import type { Metrics } from "../../admin/metrics/metrics.ts";
import { WebhookMetrics } from "../../admin/webhook/webhook-metrics.ts";
import { WebhookServer } from "../../admin/webhook/webhook-server.ts";
import type { Clock } from "../../lib/clock.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Options } from "../options/options.ts";
import { watchedFiles } from "../process/watched-files.ts";

type WebhookSettings = Pick<Options, "webhook" | "webhookCert" | "webhookKey" | "webhookUnknownFields">;

export interface WebhookSurroundings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The admission webhook, if it is on. Throws `bad-option` when it has no certificate to serve with. */
export function webhookFrom(options: WebhookSettings, { clock, logger, metrics }: WebhookSurroundings): WebhookServer {
  const { webhook: address, webhookCert: certificate = "", webhookKey: key = "", webhookUnknownFields } = options;
  if (address !== "off" && (certificate === "" || key === "")) {
    throw new MeshError("bad-option", "--webhook needs --webhook-cert and --webhook-key");
  }
  return new WebhookServer({
    address,
    files: { certificate, key },
    unknownFields: webhookUnknownFields === "deny" ? "error" : "warning",
    ...watchedFiles(clock),
    logger,
    metrics: new WebhookMetrics(metrics),
  });
}
