import { memoize } from "../../../lib/memo.ts";
import { isSameTarget } from "./attached-policies.ts";
import type { ServedPort } from "./policy-workload.ts";
import type { TrafficPolicies } from "./traffic-policies.ts";
import type { PolicyTarget, WorkloadPolicy } from "./workload-policy.ts";

/**
 * The policies of a workload that apply to one of its ports. A policy with a service in its `targetRefs` applies to the
 * ports of that service only; every other policy applies to all ports. Equal results are one object.
 */
export function portPolicies(policies: TrafficPolicies, services: readonly PolicyTarget[]): TrafficPolicies {
  const lists = [policies.authorization, policies.authentication, policies.telemetry, policies.extensions];
  const isNarrow = lists.some((list) => list.some(({ targets }) => targets.some(isService)));
  return isNarrow ? narrow([policies], services) : policies;
}

/** The ports with the services that policies name. Other services decide about nothing. */
export function targetedPorts(
  ports: readonly ServedPort[],
  { authorization, authentication }: TrafficPolicies,
): readonly ServedPort[] {
  const targets = [...authorization, ...authentication].flatMap((policy) => policy.targets.filter(isService));
  return ports
    .map(({ port, services }) => ({
      port,
      services: services.filter((service) => targets.some((target) => isSameTarget(service, target))),
    }))
    .filter(({ services }) => services.length > 0);
}

const narrow = memoize(
  ([policies]: readonly [TrafficPolicies], services: readonly PolicyTarget[]): TrafficPolicies => ({
    authorization: ofPort(policies.authorization, services),
    authentication: ofPort(policies.authentication, services),
    telemetry: ofPort(policies.telemetry, services),
    extensions: ofPort(policies.extensions, services),
    providers: policies.providers,
  }),
);

function ofPort<P extends WorkloadPolicy>(policies: readonly P[], services: readonly PolicyTarget[]): readonly P[] {
  return policies.filter(
    ({ targets }) =>
      !targets.some(isService) ||
      targets.some((target) => !isService(target) || services.some((service) => isSameTarget(service, target))),
  );
}

function isService({ kind }: PolicyTarget): boolean {
  return kind === "Service" || kind === "ServiceEntry";
}
