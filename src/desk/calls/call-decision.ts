import type { PushContext } from "../../pilot/model/push-context.ts";
import type { SidecarScope } from "../../pilot/model/scope/sidecar-scope.ts";
import type { Service } from "../../pilot/model/service/service.ts";
import { ruleFor } from "../../pilot/model/traffic/rule-for.ts";
import { type Sight, sightOf } from "./caller-scopes.ts";
import { policyReasons } from "./policy-decision.ts";
import type { ServedWorkload } from "./served-workloads.ts";
import { type Transport, transportReasons, transportTo } from "./transport-decision.ts";
import { type Decision, decisionOf, type Reason, unitedDecision } from "./verdict.ts";

/** A service, with everything about its side of a call. */
export interface Callee {
  readonly service: Service;
  readonly workloads: readonly ServedWorkload[];
}

/**
 * Whether workloads of a namespace may call a service, by configuration: the scope of their proxies, exportTo, mutual TLS
 * and AuthorizationPolicies. Both sides must have a proxy: nothing else enforces these objects.
 */
export function decideCall(
  namespace: string,
  scopes: readonly SidecarScope[],
  callee: Callee,
  push: PushContext,
): Decision {
  const decisions = scopes.map((scope) => decideFrom(namespace, sightOf(callee.service, scope), callee, push));
  return unitedDecision(decisions, "the caller's workloads have different Sidecars");
}

function decideFrom(namespace: string, sight: Sight, { service, workloads }: Callee, push: PushContext): Decision {
  if (sight.type === "refused") return decisionOf([sight.reason]);
  const first = sight.type === "passed" ? [sight.reason] : [];
  if (workloads.length === 0) {
    const text = service.meshExternal ? "it is outside of the mesh, and decides itself" : "it has no ports";
    return decisionOf([...first, { verdict: "allowed", text, objects: [] }]);
  }
  const rule = sight.type === "seen" ? ruleFor(service, namespace, push) : undefined;
  const decisions = workloads.map((workload) => {
    const transport = sight.type === "seen" ? transportTo(workload, rule, push.mesh) : "plain text";
    const tls = transportReasons(workload, transport, rule);
    return decisionOf([...first, ...tls, ...policiesOf(namespace, workload, transport, push)]);
  });
  return unitedDecision(decisions, "its endpoints, or its ports, have different rules");
}

function policiesOf(
  namespace: string,
  { policies, port, carries }: ServedWorkload,
  transport: Transport,
  { mesh }: PushContext,
): readonly Reason[] {
  if (policies.length === 0) {
    return [{ verdict: "allowed", text: "no AuthorizationPolicy applies to it", objects: [] }];
  }
  return policyReasons(policies, {
    namespace,
    isIdentified: transport === "mutual TLS",
    trustDomains: [mesh.trustDomain, ...mesh.trustDomainAliases],
    port,
    carries,
  });
}
