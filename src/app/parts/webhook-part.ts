import { WebhookMetrics } from "../../admin/webhook/webhook-metrics.ts";
import { WebhookServer } from "../../admin/webhook/webhook-server.ts";
import { MeshError } from "../../lib/errors.ts";
import { webhookRegistration } from "../kube/webhook/registration.ts";
import { watchedFiles } from "../process/watched-files.ts";
import type { ProcessPart, ProcessContext } from "./process-part.ts";

/**
 * The admission webhook and its registration with Kubernetes. It works without a source. Empty when it is off.
 * Throws `bad-option`, and `source-unavailable` without a cluster to register it with.
 */
export function webhookParts(context: ProcessContext): readonly ProcessPart[] {
  const { options, listeners } = context;
  if (options.webhook === "off") {
    if (options.webhookConfig === undefined) return [];
    throw new MeshError("bad-option", "--webhook-config needs --webhook");
  }
  return [
    {
      components: [listeners.component("webhook", webhookServer(context)), ...webhookRegistration(context)],
      emitter: { name: "validation", awaited: () => (listeners.addresses.webhook === "" ? ["listener"] : []) },
    },
  ];
}

function webhookServer({ options, logs, metrics, supervisor }: ProcessContext): WebhookServer {
  const { webhook: address, webhookCert: certificate = "", webhookKey: key = "", webhookUnknownFields } = options;
  if (certificate === "" || key === "") {
    throw new MeshError("bad-option", "--webhook needs --webhook-cert and --webhook-key");
  }
  return new WebhookServer({
    address,
    files: { certificate, key },
    unknownFields: webhookUnknownFields === "deny" ? "error" : "warning",
    ...watchedFiles(supervisor.clockFor("webhook")),
    onFailure: supervisor.reporterFor("webhook"),
    logger: logs.logger("validation"),
    metrics: new WebhookMetrics(metrics),
  });
}
