import { RegistrationMetrics } from "../../../admin/webhook/registration-metrics.ts";
import { kinds } from "../../../config/kinds.ts";
import { ServedKinds } from "../../../galley/source/kube/served-kinds.ts";
import { KubeError } from "../../../kube/kube-error.ts";
import { errorFrom } from "../../../lib/errors.ts";
import type { Logger } from "../../../lib/logger.ts";
import { certificatesIn } from "../../../transport/tls/key-pair.ts";
import { ReloadedFiles } from "../../../transport/tls/reloaded-files.ts";
import type { Ground } from "../../parts/part.ts";
import { type Component, component, withFlagNamed } from "../../process/lifecycle.ts";
import { watchedFiles } from "../../process/watched-files.ts";
import { clusterOf, elected } from "../elected.ts";
import { type RegistrarOptions, WebhookRegistrar } from "./registrar.ts";
import { kubeWebhookRegistry } from "./registry.ts";

const lease = "binnacle-webhook";

/** Keeps the webhook's registration with Kubernetes in line, if that is wanted. Throws `source-unavailable`. */
export function webhookRegistration(ground: Ground): readonly Component[] {
  const { options, clock, logs, metrics } = ground;
  const { webhookConfig: name, webhookCa: file = options.webhookCert ?? "" } = options;
  if (name === undefined) return [];
  const logger = logs.logger("validation").child({ configuration: name });
  const counters = new RegistrationMetrics(metrics);
  const cluster = clusterOf(ground, { flag: "webhook-config" });
  const served = new ServedKinds(cluster.client, clock, kinds);
  let authorities = "";
  const registrar = new WebhookRegistrar({
    registry: kubeWebhookRegistry({ ...cluster, served, clock, name }),
    clock,
    authorities: () => authorities,
    ...reported(counters, logger),
  });
  const files = new ReloadedFiles({
    files: [file],
    ...watchedFiles(clock),
    use([pem = ""]) {
      authorities = bundleIn(pem, file);
      counters.loads.inc();
      registrar.look();
    },
    onError(error) {
      counters.loadErrors.inc();
      logger.error({ err: error, file }, "webhook authority not replaced");
    },
  });
  const reading = component(options.webhookCa === undefined ? "webhook-cert" : "webhook-ca", {
    start: () => files.start(),
    stop: () => files.stop(),
  });
  return [withFlagNamed(reading), elected(ground, cluster, { lease, led: registrar, logger })];
}

/** What becomes of it, in metrics and log lines. */
function reported(
  counters: RegistrationMetrics,
  logger: Logger,
): Pick<RegistrarOptions, "onUpdate" | "onMissing" | "onUnasked" | "onError"> {
  return {
    onUpdate(failurePolicy) {
      counters.updates.inc();
      logger.info({ failurePolicy }, "webhook configuration mended");
    },
    onMissing() {
      counters.updateErrors.inc({ reason: "NotFound" });
      logger.warn({}, "no webhook configuration");
    },
    onUnasked: (reason) => logger.warn({ reason }, "webhook not asked yet"),
    onError(error) {
      counters.updateErrors.inc({ reason: (error instanceof KubeError && error.reason) || "Unavailable" });
      logger.warn({ reason: errorFrom(error).message }, "webhook configuration not mended");
    },
  };
}

/** The certificates of a file and nothing else that may be in it: a key would be told to everybody. */
function bundleIn(pem: string, file: string): string {
  return certificatesIn(file, pem)
    .map((certificate) => `${certificate.toString().trim()}\n`)
    .join("");
}
