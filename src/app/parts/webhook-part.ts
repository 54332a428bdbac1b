import { WebhookMetrics } from "../../admin/webhook/webhook-metrics.ts";
import { type WebhookCertificate, WebhookServer } from "../../admin/webhook/webhook-server.ts";
import type { Collection } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import { MeshError } from "../../lib/errors.ts";
import type { CaPart } from "../ca/ca-part.ts";
import { type Injection, injectionOf } from "../inject/injection.ts";
import { injectorRegistration } from "../inject/injector-registration.ts";
import { webhookRegistration } from "../kube/webhook/registration.ts";
import { watchedFiles } from "../process/watched-files.ts";
import type { ProcessContext, ProcessPart } from "./process-part.ts";

/**
 * The admission webhooks and their registration with Kubernetes. They work without a source. Without `--webhook-cert`, our
 * own authority issues their certificate. Empty when they are off.
 * Throws `bad-option`, and `source-unavailable` without a cluster to register it with.
 */
export function webhookParts(
  context: ProcessContext,
  outputs: ReadonlyMap<string, Collection<Config>>,
  ca?: CaPart,
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
        listeners.component("webhook", webhookServer(context, certificateOf(context, ca), injection)),
        ...webhookRegistration(context, ca?.signer),
        ...injectorRegistration(context, ca?.signer),
      ],
      emitter: { name: "validation", awaited: () => (listeners.addresses.webhook === "" ? ["listener"] : []) },
    },
  ];
}

function webhookServer(
  { options, logs, metrics, supervisor, certificates }: ProcessContext,
  certificate: WebhookCertificate,
  injection: Injection | undefined,
): WebhookServer {
  const { webhook: address, webhookUnknownFields } = options;
  return new WebhookServer({
    address,
    certificate,
    unknownFields: webhookUnknownFields === "deny" ? "error" : "warning",
    ...watchedFiles(supervisor.clockFor("webhook")),
    onFailure: supervisor.reporterFor("webhook"),
    onCertificate: supervisor.guard("desk", certificates.reporterFor("webhook")),
    logger: logs.logger("validation"),
    metrics: new WebhookMetrics(metrics),
    ...(injection && { inject: injection.route }),
  });
}

function certificateOf({ options }: ProcessContext, ca: CaPart | undefined): WebhookCertificate {
  const { webhookCert: certificate, webhookKey: key } = options;
  if (certificate !== undefined && key !== undefined) return { files: { certificate, key } };
  if (certificate === undefined && key === undefined && ca !== undefined) return { issuer: ca.webhookIssuer };
  throw new MeshError("bad-option", "--webhook needs --webhook-cert and --webhook-key, or --ca");
}
