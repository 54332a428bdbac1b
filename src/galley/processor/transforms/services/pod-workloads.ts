import type { NodeSpec } from "#gen/k8s/core/v1/cluster_pb.js";
import type { Pod } from "#gen/k8s/core/v1/pod_pb.js";
import type { Collection } from "../../../../collection/collection.ts";
import type { Graph } from "../../../../collection/graph.ts";
import { type Config, configKey } from "../../../../config/config.ts";
import type { MeshEndpoint, MeshLocality } from "../../../../config/mesh/mesh-service.ts";
import { localityFromOneLabel, networkLabel, localityFromLabels } from "../../../../config/mesh/topology-labels.ts";
import { workloadOwner } from "./workload-owner.ts";

/** The facts that endpoints copy from the pod behind their address. */
export type PodWorkload = Omit<MeshEndpoint, "address" | "ports" | "health" | "weight"> & {
  /** The pod's name. */
  readonly name: string;
  readonly addresses: readonly string[];
};

interface NodePlace {
  readonly name: string;
  readonly locality: MeshLocality;
}

const unknownLocality: MeshLocality = { region: "", zone: "", subzone: "" };

/**
 * Pods by each of their addresses. The two steps before keep only the fields that endpoints need. So heartbeats of
 * nodes and pods cause no further recomputation.
 */
export function workloadsByAddress(
  graph: Graph,
  pods: Collection<Config<Pod>>,
  nodes: Collection<Config<NodeSpec>>,
): Collection<readonly PodWorkload[]> {
  const places = graph.derive({
    name: "services/places of nodes",
    from: nodes,
    key: ({ name }: NodePlace) => name,
    to: ({ name, labels }) => [{ name, locality: localityFromLabels(labels) }],
  });
  const workloads = graph.derive({
    name: "services/workloads",
    from: pods,
    reads: { places },
    key: (workload: PodWorkload) => configKey(workload),
    to: (pod, reads) => (mayServe(pod.spec) ? [workloadOf(pod, reads.places)] : []),
  });
  return graph.group({
    name: "services/workloads by address",
    from: workloads,
    keys: ({ addresses }) => addresses,
  });
}

/** A finished pod keeps its address in its status, although another pod may use the address now. */
function mayServe({ status }: Pod): boolean {
  return status?.phase === "Pending" || status?.phase === "Running";
}

function workloadOf(
  { name, namespace, labels, spec: pod }: Config<Pod>,
  places: { get(node: string): NodePlace | undefined },
): PodWorkload {
  const { nodeName = "", serviceAccountName = "", serviceAccount = "", hostname = "", subdomain = "" } = pod.spec ?? {};
  const owner = workloadOwner(pod, { name, labels });
  const place = nodeName === "" ? undefined : places.get(nodeName);
  return {
    name,
    namespace,
    addresses: addressesOf(pod),
    labels,
    locality: podLocality(labels) ?? place?.locality ?? unknownLocality,
    node: nodeName,
    network: labels[networkLabel] ?? "",
    serviceAccount: serviceAccountName === "" ? serviceAccount : serviceAccountName,
    workloadName: owner.name,
    workloadKind: owner.kind,
    hostname: subdomain === "" || hostname !== "" ? hostname : name,
    subdomain,
  };
}

function addressesOf({ status }: Pod): readonly string[] {
  const all = [status?.podIP ?? "", ...(status?.podIPs ?? []).map(({ ip }) => ip)];
  return [...new Set(all.filter((address) => address !== ""))];
}

/** The label of a pod overrides the locality of its node. */
function podLocality(labels: Readonly<Record<string, string>>): MeshLocality | undefined {
  const text = localityFromOneLabel(labels);
  if (text === "") return undefined;
  const [region = "", zone = "", subzone = ""] = text.split("/");
  return { region, zone, subzone };
}
