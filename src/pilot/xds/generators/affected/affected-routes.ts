import type { ConfigId } from "../../../../config/config.ts";
import { keyOf, kindOf, nameOf } from "../../../model/config-id.ts";
import type { Labels } from "../../../model/labels.ts";
import type { PushContext, Since } from "../../../model/push-context.ts";
import type { ScopeRef, SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import { sidecarScopeFor } from "../../../model/scope/sidecar-scope-for.ts";
import { changedHashes } from "../../../model/traffic/changed-hashes.ts";
import { sendsRequestsTo } from "../../../model/traffic/virtual-service.ts";
import { egressIndexOf } from "../../../networking/route/sidecar/egress-index.ts";
import { type SidecarRoute, sidecarRoutesOf } from "../../../networking/route/sidecar/sidecar-route.ts";

interface Routed {
  readonly ref: ScopeRef;
  readonly httpProxy: boolean;
  /** Of the proxies' labels those that rules select by. */
  readonly selected: Labels;
}

/**
 * The names of route configurations of a scope that may differ from `since`, including added and removed ones. Returns
 * "all" when services, virtual services and rules cannot show which ones differ.
 */
export function affectedRoutes(
  { ref, httpProxy, selected }: Routed,
  push: PushContext,
  since: Since,
): ReadonlySet<string> | "all" {
  if (since.push.mesh !== push.mesh) return "all";
  const change = changeOf(since.changed, [since.push, push]);
  if (change === "all") return "all";
  const before = { push: since.push, scope: sidecarScopeFor(ref, since.push) };
  const after = { push, scope: sidecarScopeFor(ref, push) };
  const hashed = changedHashes(since.changed, before, after, selected);
  const names = new Set<string>();
  for (const { scope } of [before, after]) {
    const reach = reachOf(withHashes(change, hashed, scope), scope);
    for (const route of sidecarRoutesOf(scope, httpProxy).values()) if (isReached(route, reach)) names.add(route.name);
  }
  return names;
}

interface Change {
  /** Of services. */
  readonly hostnames: ReadonlySet<string>;
  /** Of virtual services, before and after: may be wildcards. */
  readonly hosts: ReadonlySet<string>;
}

function changeOf(changed: ReadonlySet<ConfigId>, pushes: readonly PushContext[]): Change | "all" {
  const hostnames = new Set<string>();
  const hosts = new Set<string>();
  for (const id of changed) {
    const kind = kindOf(id);
    if (kind === "Service") {
      hostnames.add(nameOf(id).toLowerCase());
    } else if (kind === "VirtualService") {
      for (const push of pushes)
        push.virtualServices.get(keyOf(id))?.hosts.forEach((host) => hosts.add(host.toLowerCase()));
    } else if (kind !== "DestinationRule") {
      return "all";
    }
  }
  return { hostnames, hosts };
}

/** Where the hash of a service changed, its own routes may differ, and those of all that lead to it. */
function withHashes(change: Change, hashed: ReadonlySet<string>, { egress }: SidecarScope): Change {
  if (hashed.size === 0) return change;
  const leading = egress
    .flatMap(({ virtualServices }) => virtualServices)
    .filter((each) => sendsRequestsTo(hashed, each));
  return {
    hostnames: change.hostnames.union(new Set([...hashed].map((hostname) => hostname.toLowerCase()))),
    hosts: change.hosts.union(new Set(leading.flatMap(({ hosts }) => hosts.map((host) => host.toLowerCase())))),
  };
}

interface Reach {
  /** Services whose routes may differ. */
  readonly hostnames: ReadonlySet<string>;
  /** Ports on which some host may differ. */
  readonly ports: ReadonlySet<number>;
}

function reachOf({ hostnames, hosts }: Change, scope: SidecarScope): Reach {
  const reached = new Set(hostnames);
  // Names that are no services are served there.
  const ports = new Set<number>(hosts.size > 0 ? [80] : []);
  for (const egress of scope.egress) {
    const index = egressIndexOf(egress);
    const named = [...hostnames].map((hostname) => index.servicesOn(0).get(hostname));
    const matching = [...hosts].flatMap((host) => index.servicesMatching(host));
    const aliased = [...hosts].flatMap((host) => index.aliasesMatching(host));
    for (const service of [...named, ...matching, ...aliased]) {
      if (service === undefined) continue;
      reached.add(service.hostname.toLowerCase());
      for (const { number } of [service, ...service.aliases].flatMap((each) => each.ports)) ports.add(number);
    }
  }
  return { hostnames: reached, ports };
}

function isReached({ port, hostname }: SidecarRoute, { hostnames, ports }: Reach): boolean {
  if (hostname !== undefined) return hostnames.has(hostname.toLowerCase());
  return port === 0 ? hostnames.size + ports.size > 0 : ports.has(port);
}
