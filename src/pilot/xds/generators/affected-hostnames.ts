import type { ConfigId } from "../../../config/config.ts";
import { hostnameCovers, isWildcard } from "../../../config/grammar/hostname.ts";
import { keyOf, kindNameOf, nameOf, namespaceOf } from "../../model/config-id.ts";
import type { PushContext, Since } from "../../model/push-context.ts";
import type { Scope } from "../../model/scope/sidecar-scope.ts";

/**
 * The hostnames in a scope whose clusters and endpoints may differ from `since`; "all" when this is unknown. Kinds that
 * `concerns` rejects have no effect.
 */
export function affectedHostnames(
  scopeIn: (push: PushContext) => Scope,
  push: PushContext,
  since: Since | undefined,
  concerns: (kind: string) => boolean,
): ReadonlySet<string> | "all" {
  if (since === undefined || since.push.mesh !== push.mesh || since.push.networks !== push.networks) return "all";
  const pushes = [since.push, push];
  const [before, after] = [scopeIn(since.push), scopeIn(push)];
  const scopes = [before, after];
  // A service that enters or leaves the scope is affected by every kind of change.
  const affected = enteredOrLeft(before, after);
  for (const id of since.changed) {
    const kind = kindNameOf(id);
    if (!concerns(kind)) continue;
    if (kind === "Service" || kind === "Endpoints") affected.add(nameOf(id));
    else if (kind === "DestinationRule") addRuledHostnames(affected, id, pushes, scopes);
    else if (kind === "PeerAuthentication") {
      // A policy of the root namespace affects the whole mesh.
      const namespace = namespaceOf(id);
      if (namespace === push.mesh.rootNamespace) return "all";
      addServicesIn(namespace, affected, scopes);
    }
  }
  return affected;
}

function enteredOrLeft(before: Scope, after: Scope): Set<string> {
  const affected = new Set<string>();
  // The same list, not only equal ones, as long as virtual services alone change.
  if (before.services === after.services) return affected;
  for (const service of before.services)
    if (after.service(service.hostname) !== service) affected.add(service.hostname);
  for (const { hostname } of after.services) if (before.service(hostname) === undefined) affected.add(hostname);
  return affected;
}

/** Workloads belong to services of their own namespace. */
function addServicesIn(namespace: string, affected: Set<string>, scopes: readonly Scope[]): void {
  for (const service of scopes.flatMap(({ services }) => services)) {
    if (service.namespace === namespace) affected.add(service.hostname);
  }
}

/** The hosts that a rule names, before and after the change. */
function addRuledHostnames(
  affected: Set<string>,
  id: ConfigId,
  pushes: readonly PushContext[],
  scopes: readonly Scope[],
): void {
  for (const push of pushes) {
    const host = push.destinationRules.get(keyOf(id))?.host;
    if (host === undefined) continue;
    if (!isWildcard(host)) {
      affected.add(host);
      continue;
    }
    for (const { hostname } of scopes.flatMap(({ services }) => services)) {
      if (hostnameCovers(host, hostname)) affected.add(hostname);
    }
  }
}
