import type { Viewer } from "../../../../admin/viewer.ts";
import type { ConfigId } from "../../../../config/config.ts";
import { hostnamesMatch } from "../../../../config/grammar/hostname.ts";
import { selects } from "../../../../config/selector.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import { isSidecar } from "../../../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../../../pilot/model/push-context.ts";
import { scopeRefOf, sidecarScopeFor } from "../../../../pilot/model/scope/sidecar-scope-for.ts";
import { type Endpoint, type Service, serviceKey } from "../../../../pilot/model/service/service.ts";
import { isVisibleFrom } from "../../../../pilot/model/service/visibility.ts";
import { backendsOf, type VirtualService } from "../../../../pilot/model/traffic/virtual-service.ts";
import { groupByCallers } from "../../../calls/namespace-calls.ts";
import { servedWorkloads } from "../../../calls/served-workloads.ts";
import type { DeskState } from "../../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee, problem } from "../../endpoint.ts";
import type { Shortened } from "../../model/listing.ts";
import type { EndpointSummary, ServiceDetail, ServiceRoute, ServiceSubset } from "../../model/mesh.ts";
import { linkTo } from "../../object-links.ts";
import { visibleProxies } from "../../proxy-facts.ts";
import { callerGroup } from "./namespace-page.ts";
import { callersAmong, namespacesOf } from "./namespaces.ts";
import { routeRules } from "./route-words.ts";
import { serviceSummary } from "./services.ts";

const shownEndpoints = 500;
const shownRoutes = 50;
const shownRules = 20;

export async function oneService(state: DeskState, request: ApiRequest): Promise<ApiAnswer> {
  const { viewer, values } = request;
  const [namespace = "", hostname = ""] = values;
  const push = state.published();
  const service = push.services.get(serviceKey({ namespace, hostname }));
  if (service === undefined || !maySee(viewer, namespace)) {
    return problem(404, `the mesh has no service ${hostname} in the namespace ${namespace}`);
  }
  const endpoints = push.endpoints.get(serviceKey(service))?.endpoints ?? [];
  const [group] = await groupByCallers([service], callersAmong(namespacesOf(state, viewer)), push, state.turn);
  const body: ServiceDetail = {
    ...serviceSummary(service, push, state),
    addresses: service.addresses,
    resolution: service.resolution,
    meshExternal: service.meshExternal,
    instances: { items: endpoints.slice(0, shownEndpoints).map(endpointSummary), total: endpoints.length },
    proxied: proxiedAmong(endpoints, viewer, state),
    routes: routesOf(service, viewer, state),
    subsets: subsetsOf(service, endpoints, viewer, state),
    rules: rulesOf(service, push)
      .map((id) => linkTo(id, state))
      .filter((link) => maySee(viewer, link.namespace)),
    callers: (group?.callers ?? []).map((each) => callerGroup(each, viewer, state)),
    seenBy: seenBy(service, viewer, state),
  };
  return found(body);
}

function endpointSummary(endpoint: Endpoint): EndpointSummary {
  const { address, port, servicePortName, health = "healthy", locality, network, weight } = endpoint;
  const { workloadName: workload, tlsMode } = endpoint;
  return {
    address,
    port,
    portName: servicePortName,
    health,
    locality,
    network,
    weight,
    workload,
    mtls: tlsMode === "istio",
  };
}

function proxiedAmong(endpoints: readonly Endpoint[], viewer: Viewer, state: DeskState): number {
  const addresses = new Set(visibleProxies(state, viewer).flatMap(({ client }) => client.ipAddresses));
  return endpoints.filter(({ address }) => addresses.has(address)).length;
}

/** VirtualServices with the hostname, then those that send requests here. */
function routesOf({ hostname }: Service, viewer: Viewer, state: DeskState): Shortened<ServiceRoute> {
  const visible = [...state.published().virtualServices.values()].filter(({ namespace }) => maySee(viewer, namespace));
  const hosts = visible.filter((each) => each.hosts.some((host) => hostnamesMatch(host, hostname)));
  const others = visible.filter((each) => !hosts.includes(each) && sendsTo(hostname, each));
  const all = [
    ...hosts.map((each) => ({ each, role: "host" as const })),
    ...others.map((each) => ({ each, role: "destination" as const })),
  ];
  const items = all.slice(0, shownRoutes).map(({ each, role }) => {
    const rules = routeRules(each);
    return {
      object: linkTo(each.owner, state),
      role,
      gateways: each.gateways,
      rules: { items: rules.slice(0, shownRules), total: rules.length },
    };
  });
  return { items, total: all.length };
}

function sendsTo(hostname: string, { http, tls, tcp }: VirtualService): boolean {
  const backends = [...http.flatMap(backendsOf), ...[...tls, ...tcp].flatMap(({ destinations }) => destinations)];
  return backends.some((backend) => backend.hostname === hostname);
}

function subsetsOf(
  { hostname }: Service,
  endpoints: readonly Endpoint[],
  viewer: Viewer,
  state: DeskState,
): readonly ServiceSubset[] {
  return [...state.published().destinationRules.values()]
    .filter(({ host, namespace }) => hostnamesMatch(host, hostname) && maySee(viewer, namespace))
    .flatMap(({ subsets, owners: [owner] }) =>
      owner === undefined
        ? []
        : subsets.map(({ name, labels }) => ({
            name,
            labels,
            endpoints: endpoints.filter((endpoint) => selects(labels, endpoint.labels)).length,
            object: linkTo(owner, state),
          })),
    )
    .toSorted((a, b) => compareTexts(a.name, b.name));
}

/** DestinationRules of its hostname, and the policies of its workloads. */
function rulesOf(service: Service, push: PushContext): readonly ConfigId[] {
  const rules = [...push.destinationRules.values()].filter(({ host }) => hostnamesMatch(host, service.hostname));
  const policies = servedWorkloads(service, push).flatMap((each) => [
    ...each.policies.map(({ owner }) => owner),
    ...each.mtlsOwners,
  ]);
  return [...new Set([...rules.flatMap(({ owners }) => owners), ...policies])].toSorted(compareTexts);
}

/** Proxies with equal scopes are looked at once. */
function seenBy(service: Service, viewer: Viewer, state: DeskState): number {
  const push = state.published();
  const known = new Map<string, boolean>();
  return visibleProxies(state, viewer).filter(({ client }) => {
    if (!isSidecar(client)) return isVisibleFrom(client.namespace, service);
    const ref = scopeRefOf(client, push);
    const key = JSON.stringify([ref.namespace, ref.sidecar]);
    const sees =
      known.get(key) ?? sidecarScopeFor(ref, push).service(service.hostname)?.namespace === service.namespace;
    known.set(key, sees);
    return sees;
  }).length;
}
