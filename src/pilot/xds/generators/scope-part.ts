import { locationOf, type ProxyLocation } from "../../model/location/proxy-location.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isProxyless } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import { routerScopeFor } from "../../model/scope/router-scope.ts";
import type { Scope, ScopeRef } from "../../model/scope/sidecar-scope.ts";
import { scopeRefOf, sidecarScopeFor } from "../../model/scope/sidecar-scope-for.ts";
import type { ClusterClient } from "../../networking/cluster/cluster-client.ts";
import { clusterClientOf } from "../../networking/cluster/cluster-client.ts";
import type { Dependencies, PartInputs } from "../generator.ts";
import { routerDependencies, sidecarDependencies } from "./dependencies.ts";

/** Inputs that Envoys with the same scope and location share. */
export interface ScopePart extends PartInputs {
  readonly type: Proxy["type"];
  readonly ref: ScopeRef;
  readonly location: ProxyLocation;
}

/** Inputs that Envoys share if their clusters also depend on equal client facts. */
export interface ClientPart extends ScopePart {
  readonly client: ClusterClient;
}

/** None for proxyless clients, which are families of their own. */
export function scopeParts(proxy: Proxy, push: PushContext): readonly ScopePart[] {
  return partsAt(locationOf(proxy, push, "endpoints"), proxy, push);
}

/** The same for clusters, which also depend on the client. */
export function clientParts(proxy: Proxy, push: PushContext): readonly ClientPart[] {
  const client = clusterClientOf(proxy);
  const parts = partsAt(locationOf(proxy, push, "clusters"), proxy, push);
  return parts.map((part) => ({ ...part, client }));
}

function partsAt(location: ProxyLocation, proxy: Proxy, push: PushContext): readonly ScopePart[] {
  if (isProxyless(proxy)) return [];
  const { type } = proxy;
  const ref = envoyScopeRef(proxy, push);
  return [{ type, ref, location }];
}

/** The scope of an Envoy. No Sidecar narrows the scope of a router. */
export function envoyScopeRef(proxy: Proxy, push: PushContext): ScopeRef {
  return proxy.type === "router" ? { namespace: proxy.namespace, sidecar: "" } : scopeRefOf(proxy, push);
}

/** The scope of the Envoys that share a part. */
export function scopeOf({ type, ref }: Pick<ScopePart, "type" | "ref">, push: PushContext): Scope {
  return type === "router" ? routerScopeFor(ref.namespace, push) : sidecarScopeFor(ref, push);
}

/** The dependencies of a part that is built from that scope. */
export function scopeDependencies({ type, ref }: Pick<ScopePart, "type" | "ref">, push: PushContext): Dependencies {
  return type === "router" ? routerDependencies(ref.namespace, push) : sidecarDependencies(ref, push);
}
