import type { ConfigId, Labels } from "../../../config/config.ts";
import { meshGateway } from "../../../config/grammar/gateway-reference.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { keyOf, kindNameOf, nameOf } from "../../model/config-id.ts";
import type { Conflict } from "../../model/conflict.ts";
import { locationOf } from "../../model/location/proxy-location.ts";
import { type AddressFamilies, familiesOf } from "../../model/proxy/address-families.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isSidecar } from "../../model/proxy/proxy.ts";
import { type RouteSettings, routeSettingsOf } from "../../model/proxy/proxy-settings.ts";
import type { PushContext, Since } from "../../model/push-context.ts";
import type { ScopeRef, SidecarScope } from "../../model/scope/sidecar-scope.ts";
import { scopeRefOf, sidecarScopeFor } from "../../model/scope/sidecar-scope-for.ts";
import { serviceConflicts } from "../../model/service/service-conflicts.ts";
import { hashLookupFor } from "../../model/traffic/applied-hash.ts";
import { changedHashes } from "../../model/traffic/changed-hashes.ts";
import { sendsRequestsTo } from "../../model/traffic/virtual-service.ts";
import { labelledVirtualServicesFor } from "../../model/traffic/virtual-services-for.ts";
import { httpProxyPortOf } from "../../networking/listener/outbound/outbound-client.ts";
import {
  buildSidecarRoutes,
  type SidecarRouteInputs,
  sidecarConflicts,
} from "../../networking/route/sidecar/build-sidecar-routes.ts";
import { egressIndexOf } from "../../networking/route/sidecar/egress-index.ts";
import { carryHosts } from "../../networking/route/sidecar/sidecar-hosts.ts";
import { type SidecarRoute, sidecarRoutesOf } from "../../networking/route/sidecar/sidecar-route.ts";
import { sourceLabelsOf } from "../../networking/route/sidecar/source-labels.ts";
import { allBut, type Generated, type GeneratorRun, type PartFamily, type PartInputs } from "../generator.ts";
import { sidecarDependencies } from "./dependencies.ts";

/** Inputs that sidecars share if they have the same scope, the same DNS domain, and equal labels that routes use. */
interface RoutePart extends PartInputs {
  readonly ref: ScopeRef;
  readonly dnsDomain: string;
  readonly families: AddressFamilies;
  /** The labels that routes match on, and the labels that rules select by. */
  readonly labels: Labels;
  readonly selected: Labels;
  readonly redirected: boolean;
  readonly settings: RouteSettings;
  /** The proxy is also an HTTP proxy, on its own port. */
  readonly httpProxy: boolean;
}

/** RDS: a route configuration for every name that outbound listeners of a scope may refer to. */
export function sidecarRoutes(writer: ProtoWriter): PartFamily<RoutePart> {
  function generate({ inputs, push, since }: GeneratorRun<RoutePart>): Generated {
    const scope = sidecarScopeFor(inputs.ref, push);
    if (since !== undefined) carryHosts(sidecarScopeFor(inputs.ref, since.push), scope);
    const routes = sidecarRoutesOf(scope, inputs.httpProxy);
    const covers = since === undefined ? "all" : affectedRoutes(inputs, push, since);
    const wanted = covers === "all" ? routes.values() : [...covers].flatMap((name) => routes.get(name) ?? []);
    const resources = routeInputs(inputs, push, wanted).map((each) => buildSidecarRoutes(each, writer));
    return { covers, resources };
  }

  function conflicts(inputs: RoutePart, push: PushContext): readonly Conflict[] {
    const scope = sidecarScopeFor(inputs.ref, push);
    const routes = sidecarRoutesOf(scope, inputs.httpProxy).values();
    const overHosts = routeInputs(inputs, push, routes).flatMap((each) => sidecarConflicts(each, writer));
    return [...overHosts, ...serviceConflicts(scope.namespace, push)];
  }

  return {
    name: "sidecar",
    parts: (proxy, push) => (isSidecar(proxy) ? [routePart(proxy, push)] : []),
    concerns: allBut("Endpoints", "Instance", "Gateway", "PeerAuthentication"),
    dependencies: ({ ref }, push) => sidecarDependencies(ref, push),
    generate,
    conflicts,
  };
}

function routeInputs(
  { ref, labels, selected, dnsDomain, families, redirected, settings }: RoutePart,
  push: PushContext,
  routes: Iterable<SidecarRoute>,
): readonly SidecarRouteInputs[] {
  const scope = sidecarScopeFor(ref, push);
  const hashes = hashLookupFor(scope, selected, push);
  const common = { scope, labels, dnsDomain, families, redirected, settings, mesh: push.mesh, hashes };
  return Array.from(routes, (route) => ({ ...common, route }));
}

function routePart(proxy: Proxy, push: PushContext): RoutePart {
  const { namespace, dnsDomain } = proxy;
  const ref = scopeRefOf(proxy, push);
  const families = familiesOf(proxy.ipAddresses);
  const labels = sourceLabelsOf(proxy.labels, labelledVirtualServicesFor(meshGateway, namespace, push));
  const redirected = proxy.interception !== "none";
  const { selected } = locationOf(proxy, push, "clusters");
  const httpProxy = httpProxyPortOf(proxy, push.mesh) > 0;
  const settings = routeSettingsOf(proxy.settings ?? push.mesh.proxy);
  return { ref, dnsDomain, families, labels, selected, redirected, httpProxy, settings };
}

/**
 * The names of route configurations of a scope that may differ from `since`, including added and removed ones. Returns
 * "all" when services, virtual services and rules cannot show which ones differ.
 */
function affectedRoutes(
  { ref, httpProxy, selected }: RoutePart,
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
    const kind = kindNameOf(id);
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

/** If the hash of a service changed, its own routes and all routes to it may differ. */
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
  // Unregistered hosts are served on port 80.
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
