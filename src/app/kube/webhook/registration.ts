import { RegistrationMetrics } from "../../../admin/webhook/registration-metrics.ts";
import type { Signer } from "../../../ca/signer.ts";
import { kinds } from "../../../config/kinds.ts";
import { ServedKinds } from "../../../galley/source/kube/served-kinds.ts";
import { KubeError } from "../../../kube/kube-error.ts";
import { errorFrom } from "../../../lib/errors.ts";
import type { Logger } from "../../../lib/logger.ts";
import type { ProcessContext } from "../../parts/process-part.ts";
import { type Component, component, withFlagNamed } from "../../process/lifecycle.ts";
import { clusterOf, elected } from "../elected.ts";
import { type RegistrarOptions, WebhookRegistrar } from "./registrar.ts";
import { kubeWebhookRegistry } from "./registry.ts";
import { webhookAuthorities } from "./webhook-authorities.ts";
import type { FailurePolicy } from "./webhook-patch.ts";

const lease = "binnacle-webhook";

/** Keeps the registration of the webhook in Kubernetes up to date, if the flag is set. Throws `source-unavailable`. */
export function webhookRegistration(
  context: ProcessContext,
  authority?: Pick<Signer, "trusted" | "onChange">,
): readonly Component[] {
  const { options, logs, metrics, supervisor } = context;
  const clock = supervisor.clockFor("webhook registration");
  const { webhookConfig: name } = options;
  if (name === undefined) return [];
  const logger = logs.logger("validation").child({ configuration: name });
  const counters = new RegistrationMetrics(metrics);
  const cluster = clusterOf(context, { flag: "webhook-config" });
  const served = new ServedKinds(cluster.client, clock, kinds);
  let authorities = "";
  const registrar = new WebhookRegistrar({
    registry: kubeWebhookRegistry({ ...cluster, served, clock, name }),
    clock,
    authorities: () => authorities,
    ...reported(supervisor, counters, logger),
  });
  const onLoaded = supervisor.guard("webhook registration", () => counters.loads.inc());
  const onLoadError = supervisor.guard("webhook registration", () => counters.loadErrors.inc());
  const followed = webhookAuthorities({
    options,
    authority,
    clock,
    use(pem) {
      authorities = pem;
      registrar.look();
      onLoaded();
    },
    onError(error, file) {
      onLoadError();
      logger.error({ err: error, file }, "webhook ca certificate not replaced");
    },
  });
  const reading = component(options.webhookCa === undefined ? "webhook-cert" : "webhook-ca", {
    start: () => followed.start(),
    stop: () => followed.stop(),
  });
  return [withFlagNamed(reading), elected(context, cluster, { lease, led: registrar, logger })];
}

/** Reports the results as metrics and log lines. */
function reported(
  supervisor: ProcessContext["supervisor"],
  counters: RegistrationMetrics,
  logger: Logger,
): Pick<RegistrarOptions, "onUpdate" | "onMissing" | "onUnasked" | "onError"> {
  return supervisor.guardAll("webhook registration", {
    onUpdate(failurePolicy: FailurePolicy) {
      counters.updates.inc();
      logger.info({ failurePolicy }, "webhook configuration updated");
    },
    onMissing() {
      counters.updateErrors.inc({ reason: "NotFound" });
      logger.warn({}, "webhook configuration not found");
    },
    onUnasked: (reason: string) => logger.warn({ reason }, "webhook not called yet"),
    onError(error: unknown) {
      counters.updateErrors.inc({ reason: (error instanceof KubeError && error.reason) || "Unavailable" });
      logger.warn({ reason: errorFrom(error).message }, "webhook configuration not updated");
    },
  });
}
