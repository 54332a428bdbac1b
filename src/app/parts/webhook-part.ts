import { WebhookMetrics } from "../../admin/webhook/webhook-metrics.ts";
import { WebhookServer } from "../../admin/webhook/webhook-server.ts";
import type { Collection } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Injection, injectionOf } from "../inject/injection.ts";
import { injectorRegistration } from "../inject/injector-registration.ts";
import { webhookRegistration } from "../kube/webhook/registration.ts";
import { watchedFiles } from "../process/watched-files.ts";
import type { ProcessPart, ProcessContext } from "./process-part.ts";

/**
 * The admission webhooks and their registration with Kubernetes. They work without a source. Empty when they are off.
 * Throws `bad-option`, and `source-unavailable` without a cluster to register it with.
 */
export function webhookParts(
  context: ProcessContext,
  outputs: ReadonlyMap<string, Collection<Config>>,
): readonly ProcessPart[] {
  const { options, listeners } = context;
  const { inject, injectRegister, injectValues } = options;
  if (!inject && injectRegister) throw new MeshError("bad-option", "--inject-register needs --inject");
  if (!inject && injectValues !== undefined) throw new MeshError("bad-option", "--inject-values needs --inject");
  if (options.webhook === "off") {
    if (inject) throw new MeshError("bad-option", "--inject needs --webhook");
    if (options.webhookConfig === undefined) return [];
    throw new MeshError("bad-option", "--webhook-config needs --webhook");
  }
  const injection = injectionOf(context, outputs);
  return [
    {
      components: [
        ...(injection?.components ?? []),
        listeners.component("webhook", webhookServer(context, injection)),
        ...webhookRegistration(context),
        ...injectorRegistration(context),
      ],
      emitter: { name: "validation", awaited: () => (listeners.addresses.webhook === "" ? ["listener"] : []) },
    },
  ];
}

function webhookServer(
  { options, logs, metrics, supervisor }: ProcessContext,
  injection: Injection | undefined,
): WebhookServer {
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
    ...(injection && { inject: injection.route }),
  });
}
