import type { ConfigId } from "../../config/config.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import type { ScopeRef, SidecarScope } from "../../pilot/model/scope/sidecar-scope.ts";
import { scopeRefOf, sidecarScopeFor } from "../../pilot/model/scope/sidecar-scope-for.ts";
import type { Service } from "../../pilot/model/service/service.ts";
import { isVisibleFrom } from "../../pilot/model/service/visibility.ts";
import type { Reason } from "./verdict.ts";

/** The scopes of the workloads of a namespace: the usual one, and one for each Sidecar that selects some workloads. */
export function scopesOf(namespace: string, push: PushContext): readonly SidecarScope[] {
  const refs: ScopeRef[] = [scopeRefOf({ namespace, labels: {} }, push)];
  for (const { name, selector } of push.sidecarsByNamespace.get(namespace) ?? []) {
    if (selector !== undefined) refs.push({ namespace, sidecar: `${namespace}/${name}` });
  }
  return refs.map((ref) => sidecarScopeFor(ref, push));
}

/** How a proxy of the scope treats the service. */
export type Sight =
  /** It has a route to the service. */
  | { readonly type: "seen" }
  /** It has none, but lets connections to unknown addresses pass, or it refuses them. */
  | { readonly type: "passed" | "refused"; readonly reason: Reason };

export function sightOf(service: Service, scope: SidecarScope): Sight {
  const found = scope.service(service.hostname);
  if (found !== undefined && found.namespace === service.namespace) return { type: "seen" };
  const { text, objects } = whyUnseen(service, scope, found);
  return scope.outboundPolicy.mode === "registry-only"
    ? {
        type: "refused",
        reason: { verdict: "denied", text: `${text}; REGISTRY_ONLY refuses other addresses`, objects },
      }
    : {
        type: "passed",
        reason: { verdict: "depends", text: `${text}; a connection to its address passes in plain text`, objects },
      };
}

function whyUnseen(
  service: Service,
  { namespace, owner }: SidecarScope,
  other: Service | undefined,
): { readonly text: string; readonly objects: readonly ConfigId[] } {
  if (!isVisibleFrom(namespace, service)) {
    return { text: `its exportTo leaves out ${namespace}`, objects: [service.owner] };
  }
  if (other !== undefined) {
    return { text: `${namespace} sees the service of ${other.namespace} with this hostname`, objects: [other.owner] };
  }
  return { text: "the Sidecar of the caller does not import it", objects: owner === undefined ? [] : [owner] };
}
