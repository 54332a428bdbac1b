import { InjectorMetrics } from "../../admin/webhook/injector-metrics.ts";
import type { Signer } from "../../ca/signer.ts";
import { KubeError } from "../../kube/kube-error.ts";
import { errorFrom } from "../../lib/errors.ts";
import { clusterOf, elected } from "../kube/elected.ts";
import { webhookAuthorities } from "../kube/webhook/webhook-authorities.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { type Component, component } from "../process/lifecycle.ts";
import { injectorConfigurations } from "./injector-configurations.ts";
import { InjectorRegistrar } from "./injector-registrar.ts";

const lease = "binnacle-injector";

/** Keeps the registration of the mutating webhook up to date, if the flag is set. Throws `source-unavailable`. */
export function injectorRegistration(
  context: ProcessContext,
  authority?: Pick<Signer, "trusted" | "onChange">,
): readonly Component[] {
  const { options, logs, metrics, supervisor } = context;
  if (!options.injectRegister) return [];
  const { revision } = options;
  const clock = supervisor.clockFor("webhook registration");
  const logger = logs.logger("injection").child({ revision });
  const counters = new InjectorMetrics(metrics);
  const cluster = clusterOf(context, { flag: "inject-register" });
  let authorities = "";
  const registrar = new InjectorRegistrar({
    configurations: injectorConfigurations(cluster.client, clock, revision),
    clock,
    authorities: () => authorities,
    ...supervisor.guardAll("webhook registration", {
      onUpdate(configuration: string) {
        counters.updates.inc();
        logger.info({ configuration }, "injection configuration updated");
      },
      onMissing: () => logger.warn({}, "injection configuration not found"),
      onError(error: unknown) {
        counters.updateErrors.inc({ reason: (error instanceof KubeError && error.reason) || "Unavailable" });
        logger.warn({ reason: errorFrom(error).message }, "injection configuration not updated");
      },
    }),
  });
  const followed = webhookAuthorities({
    options,
    authority,
    clock,
    use(pem) {
      authorities = pem;
      registrar.look();
    },
    onError: (error, file) => logger.error({ err: error, file }, "webhook ca certificate not replaced"),
  });
  const reading = component("inject-ca", { start: () => followed.start(), stop: () => followed.stop() });
  return [reading, elected(context, cluster, { lease, led: registrar, logger })];
}
