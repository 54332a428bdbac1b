import type { EndpointAddress, Endpoints } from "#gen/k8s/core/v1/endpoints_pb.js";
import type { ObjectReference } from "#gen/k8s/core/v1/reference_pb.js";
import type { EndpointSlice, Endpoint as SliceEndpoint } from "#gen/k8s/discovery/v1/endpoint_slice_pb.js";
import type { Collection, Tracked } from "../../../../collection/collection.ts";
import type { Graph } from "../../../../collection/graph.ts";
import { type Config, configKey } from "../../../../config/config.ts";
import { isIpAddress, isPortNumber } from "../../../../config/grammar/address.ts";
import type { MeshEndpoint } from "../../../../config/mesh/mesh-service.ts";
import type { PodWorkload } from "./pod-workloads.ts";

/** The conditions of an endpoint in Kubernetes, with defaults for unset ones. */
interface Conditions {
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

/** An endpoint without its service. The service decides how to interpret the conditions. */
export type ListedEndpoint = Omit<MeshEndpoint, "health"> & { readonly conditions: Conditions };

/** The endpoints that one object lists for one service. */
export interface EndpointSet {
  /** The key of the object itself. */
  readonly key: string;
  /** The key of the service. */
  readonly service: string;
  readonly endpoints: readonly ListedEndpoint[];
}

/** An endpoint address with its workload, if known. */
interface Addressed {
  readonly address: string;
  readonly target: ObjectReference | undefined;
  /** The namespace of the object that lists it. */
  readonly namespace: string;
}

type PodName = Pick<PodWorkload, "name" | "namespace">;
type Workloads = Tracked<readonly PodWorkload[]>;

const serviceNameLabel = "kubernetes.io/service-name";
const ready: Conditions = { ready: true, serving: true, terminating: false };
const notReady: Conditions = { ready: false, serving: false, terminating: false };

/** EndpointSlices by service. Slices of address type FQDN are skipped, because Envoy cannot dial names. */
export function slicesByService(
  graph: Graph,
  slices: Collection<Config<EndpointSlice>>,
  workloads: Collection<readonly PodWorkload[]>,
): Collection<readonly EndpointSet[]> {
  const sets = graph.derive({
    name: "services/slices",
    from: slices,
    reads: { workloads },
    key: ({ key }: EndpointSet) => key,
    to: (slice, reads) => (isOfService(slice) ? [setOfSlice(slice, reads.workloads)] : []),
  });
  return graph.group({ name: "services/slices by service", from: sets, keys: ({ service }) => [service] });
}

/** Endpoints objects; each has the key of its service. */
export function endpointSets(
  graph: Graph,
  endpoints: Collection<Config<Endpoints>>,
  workloads: Collection<readonly PodWorkload[]>,
): Collection<EndpointSet> {
  return graph.derive({
    name: "services/endpoints",
    from: endpoints,
    reads: { workloads },
    key: ({ key }: EndpointSet) => key,
    to: (object, reads) => [setOfEndpoints(object, reads.workloads)],
  });
}

function isOfService({ labels, spec }: Config<EndpointSlice>): boolean {
  return (labels[serviceNameLabel] ?? "") !== "" && spec.addressType !== "FQDN";
}

function setOfSlice(config: Config<EndpointSlice>, workloads: Workloads): EndpointSet {
  const { namespace, labels, spec } = config;
  const ports = portsByName(spec.ports);
  const endpoints = spec.endpoints.flatMap((endpoint) =>
    endpoint.addresses.filter(isIpAddress).flatMap((address) => {
      const addressed = { address, target: endpoint.targetRef, namespace };
      return listed(addressed, { ports, conditions: conditionsOf(endpoint) }, workloads);
    }),
  );
  const service = configKey({ namespace, name: labels[serviceNameLabel] ?? "" });
  return { key: configKey(config), service, endpoints };
}

/**
 * Unset means ready and serving. But istiod treats a not-ready endpoint as terminating unless the condition says
 * otherwise.
 */
function conditionsOf({ conditions }: SliceEndpoint): Conditions {
  return {
    ready: conditions?.ready ?? true,
    serving: conditions?.serving ?? true,
    terminating: conditions?.terminating ?? true,
  };
}

function setOfEndpoints(config: Config<Endpoints>, workloads: Workloads): EndpointSet {
  const { namespace, spec } = config;
  const key = configKey(config);
  const endpoints = spec.subsets.flatMap((subset) => {
    const ports = portsByName(subset.ports);
    const at = ({ ip, targetRef }: EndpointAddress, conditions: Conditions): readonly ListedEndpoint[] =>
      listed({ address: ip, target: targetRef, namespace }, { ports, conditions }, workloads);
    return [
      ...subset.addresses.filter(isDialable).flatMap((address) => at(address, ready)),
      ...subset.notReadyAddresses.filter(isDialable).flatMap((address) => at(address, notReady)),
    ];
  });
  return { key, service: key, endpoints };
}

/** An API server rejects other addresses, but files may have them. A proxy would reject the whole resource. */
function isDialable({ ip }: EndpointAddress): boolean {
  return isIpAddress(ip);
}

/** A port without a number means all ports. Envoy cannot dial such a port. */
function portsByName(
  ports: readonly { readonly name: string; readonly port?: number | undefined }[],
): Readonly<Record<string, number>> {
  return Object.fromEntries(ports.flatMap(({ name, port }) => (isPortNumber(port) ? [[name, port]] : [])));
}

/**
 * Undefined while the target pod is unknown. Without the pod's labels and identity, clients would expect a wrong
 * identity. The endpoint is listed as soon as the pod is known.
 */
function listed(
  addressed: Addressed,
  served: Pick<ListedEndpoint, "ports" | "conditions">,
  workloads: Workloads,
): readonly ListedEndpoint[] {
  const candidates = workloads.get(addressed.address) ?? [];
  const meant = podMeant(addressed);
  const found = meant === undefined ? workloadIn(addressed, candidates) : candidates.find((pod) => isPod(pod, meant));
  if (found === undefined) return [];
  const { name: _name, addresses: _addresses, ...workload } = found;
  return [{ address: addressed.address, weight: 0, ...served, ...workload }];
}

/** The target pod of an endpoint. Several pods may share one address, for example on the host network. */
function podMeant({ target, namespace }: Addressed): PodName | undefined {
  return target?.kind === "Pod" ? { name: target.name, namespace: target.namespace || namespace } : undefined;
}

function isPod({ name, namespace }: PodWorkload, meant: PodName): boolean {
  return name === meant.name && namespace === meant.namespace;
}

/**
 * The workload if the endpoint names no pod: a pod of the same namespace, else the first pod by name, else an unknown
 * workload.
 */
function workloadIn({ namespace }: Addressed, candidates: readonly PodWorkload[]): PodWorkload {
  return candidates.find((pod) => pod.namespace === namespace) ?? candidates[0] ?? unknown;
}

const unknown: PodWorkload = {
  name: "",
  addresses: [],
  labels: {},
  locality: { region: "", zone: "", subzone: "" },
  node: "",
  network: "",
  serviceAccount: undefined,
  namespace: "",
  workloadName: "",
  workloadKind: "",
  hostname: "",
  subdomain: "",
};
