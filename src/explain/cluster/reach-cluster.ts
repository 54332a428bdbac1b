import { type Cluster, Cluster_DiscoveryType as DiscoveryType } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { hostAndPort } from "../../pilot/networking/host-and-port.ts";
import type { ClusterStep, PassedOver, Target } from "../explanation.ts";
import type { Arrival } from "../listener/choose-listener.ts";
import { ownersIn, ownersOf, type ProxyConfig } from "../proxy-config.ts";
import { percentText } from "../quantities.ts";
import { hostnameOf, type Request } from "../request.ts";
import { assignmentName, endpointsOf, type KnownEndpoint } from "./endpoints-of.ts";
import { transportTo } from "./transport-to.ts";

/** What a cluster does with requests that it is given: the endpoints it chooses from, or why they fail. */
export function reachCluster(config: ProxyConfig, target: Target, arrival: Arrival, request: Request): ClusterStep {
  const { cluster: name, share } = target;
  const why = share === 1 ? "everything goes there" : `its weight is ${percentText(share)} of all`;
  const step: ClusterStep = { type: "cluster", name, share, why, notes: [], passedOver: [], owners: [], endpoints: [] };
  const cluster = config.clusters.find((candidate) => candidate.name === name);
  if (cluster === undefined) return { ...step, problem: "does not exist" };
  const { clusterDiscoveryType: discovery } = cluster;
  const known = { ...step, notes: subsetNotes(cluster), owners: ownersOfCluster(config, cluster) };
  if (discovery.case === "clusterType") {
    return { ...known, notes: [...known.notes, `its endpoints are found by ${discovery.value.name}`] };
  }
  if (discovery.value === DiscoveryType.ORIGINAL_DST) return toFirstDestination(known, cluster, arrival, request);
  return toEndpoints(known, cluster, endpointsOf(cluster, config));
}

/** Where the client wanted to go before the proxy got hold of the connection. */
function toFirstDestination(step: ClusterStep, cluster: Cluster, arrival: Arrival, request: Request): ClusterStep {
  if (!arrival.intercepted) {
    const problem = "forwards to the address that was dialled, which is the proxy's own without interception";
    return { ...step, problem };
  }
  const inbound = request.direction === "inbound";
  const address = arrival.address ?? (inbound ? "this workload" : hostnameOf(request));
  const endpoint = {
    address: hostAndPort(address, request.port),
    transport: transportTo(cluster, undefined),
    priority: 0,
  };
  return { ...step, notes: [...step.notes, "it forwards to the address that was dialled"], endpoints: [endpoint] };
}

/** Envoy's own, in percent, where a cluster sets none. */
const defaultPanicThreshold = 50;

/** When too few endpoints are healthy, Envoy spreads the load over all of them, rather than break the few. */
function toEndpoints(step: ClusterStep, cluster: Cluster, endpoints: readonly KnownEndpoint[]): ClusterStep {
  if (endpoints.length === 0) return { ...step, problem: "has no endpoints" };
  const threshold = cluster.commonLbConfig?.healthyPanicThreshold?.value ?? defaultPanicThreshold;
  const healthy = endpoints.filter((endpoint) => endpoint.healthy);
  if ((100 * healthy.length) / endpoints.length < threshold) {
    const notes = [...step.notes, "too few of its endpoints are healthy: Envoy chooses from all"];
    return { ...step, notes, endpoints: endpoints.map(withoutHealth) };
  }
  const passedOver = endpoints.filter((endpoint) => !endpoint.healthy).map(unhealthy);
  if (healthy.length === 0) return { ...step, passedOver, problem: "has no healthy endpoints" };
  return { ...step, passedOver, endpoints: healthy.map(withoutHealth) };
}

function withoutHealth({ address, transport, priority }: KnownEndpoint) {
  return { address, transport, priority };
}

function unhealthy({ address }: KnownEndpoint): PassedOver {
  return { name: address, why: "it is not healthy" };
}

function subsetNotes({ metadata }: Cluster): readonly string[] {
  const subset = metadata?.filterMetadata["istio"]?.["subset"];
  return typeof subset === "string" ? [`subset ${subset}`] : [];
}

function ownersOfCluster(config: ProxyConfig, cluster: Cluster): ClusterStep["owners"] {
  const owners = [
    ...ownersIn(cluster.metadata),
    ...ownersOf(config, "cluster", cluster.name),
    ...ownersOf(config, "endpoint", assignmentName(cluster)),
  ];
  return [...new Set(owners)];
}
