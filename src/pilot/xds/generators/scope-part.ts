import type { ClusterClient } from "../../model/cluster-client.ts";
import { clusterClientId, clusterClientOf } from "../../model/cluster-client.ts";
import type { Proxy } from "../../model/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import { routerScopeFor } from "../../model/router-scope.ts";
import type { Scope, ScopeRef } from "../../model/sidecar-scope.ts";
import { scopeRefId, scopeRefOf, sidecarScopeFor } from "../../model/sidecar-scope-for.ts";
import type { PartInputs } from "../generator.ts";

/** What Envoys that see the same services, and reach them in the same way, share. */
export interface ScopePart extends PartInputs {
  readonly client: ClusterClient;
  readonly ref: ScopeRef;
}

/** None for proxyless clients, which are families of their own. */
export function scopeParts(proxy: Proxy, push: PushContext): readonly ScopePart[] {
  if (proxy.generator === "grpc") return [];
  const client = clusterClientOf(proxy);
  // No Sidecar narrows what a router sees.
  const ref = proxy.type === "router" ? { namespace: proxy.namespace, sidecar: "" } : scopeRefOf(proxy, push);
  return [{ id: `${scopeRefId(ref)} ${clusterClientId(client)}`, client, ref }];
}

export function scopeOf({ client, ref }: ScopePart, push: PushContext): Scope {
  return client.type === "router" ? routerScopeFor(ref.namespace, push) : sidecarScopeFor(ref, push);
}
