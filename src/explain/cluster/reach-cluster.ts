import { type Cluster, Cluster_DiscoveryType as DiscoveryType } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { hostAndPort } from "../../pilot/networking/address.ts";
import { blackHoleCluster, parseClusterName } from "../../pilot/networking/cluster/cluster-name.ts";
import { clusterNamed, type EnvoyConfig, ownersIn, patchNotes, resourceOwners } from "../envoy-config.ts";
import type { ClusterShare, ClusterStep, Decider, ExplainedEndpoint, PassedOver } from "../explanation.ts";
import type { Arrival } from "../listener/choose-listener.ts";
import { percentText } from "../quantities.ts";
import { requestHostname } from "../simulated-request.ts";
import { assignmentName, type KnownEndpoint, knownEndpointsOf } from "./known-endpoints.ts";
import { type Carried, reachEndpoint } from "./reach-endpoint.ts";
import { upstreamSocket } from "./upstream-socket.ts";

/** How requests came to a cluster, and the known facts about its destinations. */
export interface Way extends Omit<Carried, "config"> {
  readonly arrival: Arrival;
}

/** The result of requests to a cluster: the endpoints it chooses from, or why they fail. */
export function reachCluster(config: EnvoyConfig, target: ClusterShare, way: Way): ClusterStep {
  const { cluster: name, share } = target;
  const why = share === 1 ? "all requests go there" : `its weight is ${percentText(share)} of all`;
  const step: ClusterStep = { type: "cluster", name, share, why, notes: [], passedOver: [], owners: [], endpoints: [] };
  const cluster = clusterNamed(config, name);
  if (cluster === undefined) return { ...step, problem: "does not exist" };
  const { clusterDiscoveryType: discovery } = cluster;
  const known = {
    ...step,
    notes: [...subsetNotes(cluster), ...patchNotes(config, "cluster", cluster.name)],
    owners: ownersOfCluster(config, cluster),
  };
  if (discovery.case === "clusterType") {
    return { ...known, notes: [...known.notes, `${discovery.value.name} discovers its endpoints`] };
  }
  const carried = { ...way, config };
  if (discovery.value === DiscoveryType.ORIGINAL_DST) return toFirstDestination(known, cluster, way.arrival, carried);
  return toEndpoints(known, cluster, knownEndpointsOf(cluster, config), carried);
}

/** The original destination of the client, before interception. */
function toFirstDestination(step: ClusterStep, cluster: Cluster, arrival: Arrival, carried: Carried): ClusterStep {
  const { request } = carried;
  if (!arrival.intercepted) {
    const problem = "forwards to the dialled address, which is the proxy's own without interception";
    return { ...step, problem };
  }
  const inbound = request.direction === "inbound";
  const address = arrival.address ?? (inbound ? "this workload" : requestHostname(request));
  const socket = upstreamSocket(cluster, undefined);
  const { port } = request;
  const endpoint = { address: hostAndPort(address, port), transport: socket.transport, priority: 0, healthy: true };
  const known = { ...endpoint, socket, dialled: inbound ? undefined : { address, port } };
  const notes = [...step.notes, "it forwards to the dialled address"];
  return followed({ ...step, notes }, cluster, [known], carried);
}

/** Envoy's default panic threshold in percent. */
const defaultPanicThreshold = 50;

/**
 * Panic mode: when too few endpoints are healthy, Envoy uses all of them, so that it does not overload the healthy few.
 */
function toEndpoints(
  step: ClusterStep,
  cluster: Cluster,
  endpoints: readonly KnownEndpoint[],
  carried: Carried,
): ClusterStep {
  if (endpoints.length === 0) return { ...step, problem: emptiness(cluster) };
  const threshold = cluster.commonLbConfig?.healthyPanicThreshold?.value ?? defaultPanicThreshold;
  const healthy = endpoints.filter((endpoint) => endpoint.healthy);
  if ((100 * healthy.length) / endpoints.length < threshold) {
    const notes = [...step.notes, "too few of its endpoints are healthy: Envoy chooses from all"];
    return followed({ ...step, notes }, cluster, endpoints, carried);
  }
  const passedOver = endpoints.filter((endpoint) => !endpoint.healthy).map(unhealthy);
  if (healthy.length === 0) return { ...step, passedOver, problem: "has no healthy endpoints" };
  return followed({ ...step, passedOver }, cluster, healthy, carried);
}

/** The limit of endpoints that are followed to their end. Other endpoints are mostly alike. */
const mostFollowed = 16;

/** The endpoints with the result of a connection to each. The cluster fails if all of them fail. */
function followed(step: ClusterStep, cluster: Cluster, known: readonly KnownEndpoint[], carried: Carried): ClusterStep {
  const doubts = new Set<string>();
  let decidedBy: readonly Decider[] = [];
  const endpoints = known.map(({ address, transport, priority, socket, dialled }, index): ExplainedEndpoint => {
    const told = { address, transport, priority };
    if (dialled === undefined || index >= mostFollowed) return told;
    const reached = reachEndpoint({ cluster, socket, ...dialled }, carried);
    for (const doubt of reached.doubts) doubts.add(doubt);
    const { problem, status, decidedBy: deciders = [] } = reached;
    if (decidedBy.length === 0) decidedBy = deciders;
    return problem === undefined ? told : { ...told, problem, ...(status !== undefined && { status }) };
  });
  const decided = decidedBy.length === 0 ? {} : { decidedBy };
  const notes = [...step.notes, ...doubts];
  const [first] = endpoints;
  const fails = first !== undefined && endpoints.every(({ problem }) => problem !== undefined);
  if (!fails) return { ...step, notes, endpoints, ...decided };
  const which = endpoints.length === 1 ? "its only endpoint" : "no endpoint is reached: the first,";
  const problem = `fails: ${which} ${first.address} ${first.problem}`;
  const { status } = first;
  return { ...step, notes, endpoints, problem, ...decided, ...(status !== undefined && { status }) };
}

/** An empty static cluster of the mesh was emptied on purpose: plaintext must not replace TLS. */
function emptiness({ name, clusterDiscoveryType: { value } }: Cluster): string {
  if (name === blackHoleCluster) return "drops everything: this proxy may call only known services";
  const emptied = value === DiscoveryType.STATIC && parseClusterName(name)?.hostname !== undefined;
  if (!emptied) return "has no endpoints";
  return "has no endpoints: a rule requires TLS, and this proxy lacks the certificates or the secret for it";
}

function unhealthy({ address }: KnownEndpoint): PassedOver {
  return { name: address, why: "it is not healthy" };
}

function subsetNotes({ metadata }: Cluster): readonly string[] {
  const subset = metadata?.filterMetadata["istio"]?.["subset"];
  return typeof subset === "string" ? [`subset ${subset}`] : [];
}

function ownersOfCluster(config: EnvoyConfig, cluster: Cluster): ClusterStep["owners"] {
  const owners = [
    ...ownersIn(cluster.metadata),
    ...resourceOwners(config, "cluster", cluster.name),
    ...resourceOwners(config, "endpoint", assignmentName(cluster)),
  ];
  return [...new Set(owners)];
}
