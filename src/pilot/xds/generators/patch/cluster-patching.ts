import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { EnvoyPatch, PatchContext } from "../../../model/policy/envoy-patch.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Resource } from "../../../model/resource.ts";
import { inboundClusterName, inboundPassthroughCluster } from "../../../networking/cluster/cluster-name.ts";
import { type WorkloadFacts, workloadClusters } from "../../../networking/cluster/inbound/workload-clusters.ts";
import { addedCluster } from "../../../networking/patch/added-resource.ts";
import { clusterIdentity, matchesCluster } from "../../../networking/patch/match/match-cluster.ts";
import { appliesIn } from "../../../networking/patch/patch-run.ts";
import { type PatchedResource, patchedCluster } from "../../../networking/patch/patched-resource.ts";
import type { PartInputs } from "../../generator.ts";
import type { ClientPart } from "../scope-part.ts";
import { isAddedTo, isAddition, nothingAdded, type Patching } from "./patched.ts";

/**
 * Clusters of services, and all clusters that patches add. The cluster for unregistered inbound traffic is among the
 * outbound ones of a sidecar.
 */
export function outboundClusterPatching(writer: ProtoWriter): Patching<ClientPart> {
  const passthrough = clusterIdentity(inboundPassthroughCluster);
  return {
    wants(patch, { type }) {
      if (patch.target !== "CLUSTER") return false;
      if (isAddition(patch)) return isAddedTo(patch, type);
      if (appliesIn(patch, type === "router" ? "GATEWAY" : "SIDECAR_OUTBOUND")) return true;
      return type === "sidecar" && appliesIn(patch, "SIDECAR_INBOUND") && matchesCluster(patch.cluster, passthrough);
    },
    prepare: ({ type }, patches) => ({
      patch(resource) {
        const side = resource.name === inboundPassthroughCluster ? "SIDECAR_INBOUND" : "SIDECAR_OUTBOUND";
        return patchOne(resource, { context: type === "router" ? "GATEWAY" : side, served: [], patches, writer });
      },
      added: patches.filter(isAddition).map((patch) => ({ patch, added: addedCluster([patch, writer]) })),
      reserved: (name) => (name.startsWith("inbound|") ? "is a name for ports of the workload" : undefined),
    }),
  };
}

/** Routers between networks have a second cluster for each service. */
export function sniDnatPatching(writer: ProtoWriter): Patching<ClientPart> {
  return {
    wants: (patch) => patch.target === "CLUSTER" && !isAddition(patch) && appliesIn(patch, "GATEWAY"),
    prepare: (_inputs, patches) => ({
      ...nothingAdded,
      patch: (resource) => patchOne(resource, { context: "GATEWAY", served: [], patches, writer }),
    }),
  };
}

export function inboundClusterPatching(writer: ProtoWriter): Patching<PartInputs & WorkloadFacts> {
  return {
    wants: (patch) => patch.target === "CLUSTER" && !isAddition(patch) && appliesIn(patch, "SIDECAR_INBOUND"),
    prepare(inputs, patches, push) {
      const byCluster = servedHostnames(inputs, push);
      return {
        ...nothingAdded,
        patch(resource) {
          const served = byCluster.get(resource.name) ?? [];
          return patchOne(resource, { context: "SIDECAR_INBOUND", served, patches, writer });
        },
      };
    },
  };
}

/** By cluster: the services behind a port of a workload. */
function servedHostnames(facts: WorkloadFacts, push: PushContext): ReadonlyMap<string, readonly string[]> {
  const clusters = workloadClusters(facts, push);
  return new Map(
    clusters.map(({ port, services }) => [inboundClusterName(port), services.map(({ hostname }) => hostname)]),
  );
}

interface ClusterRun {
  readonly context: PatchContext;
  readonly served: readonly string[];
  readonly patches: readonly EnvoyPatch[];
  readonly writer: ProtoWriter;
}

function patchOne(resource: Resource, { context, served, patches, writer }: ClusterRun): PatchedResource | undefined {
  const cluster = clusterIdentity(resource.name, served);
  const matching = patches.filter(
    (patch) => !isAddition(patch) && appliesIn(patch, context) && matchesCluster(patch.cluster, cluster),
  );
  return matching.length === 0 ? undefined : patchedCluster([resource, writer, ...matching], { context, served });
}
