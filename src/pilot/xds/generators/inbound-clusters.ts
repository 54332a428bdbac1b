import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { ClusterClient } from "../../model/cluster-client.ts";
import { clusterClientOf } from "../../model/cluster-client.ts";
import { inboundScopeFor, workloadId } from "../../model/inbound-scope.ts";
import type { Proxy } from "../../model/proxy.ts";
import type { Workload } from "../../model/service-target.ts";
import type { ScopeRef } from "../../model/sidecar-scope.ts";
import { scopeRefOf } from "../../model/sidecar-scope-for.ts";
import { buildInboundCluster } from "../../networking/cluster/build-inbound-cluster.ts";
import type { PartFamily, PartInputs } from "../generator.ts";
import { workloadClusters } from "./workload-clusters.ts";

/** A workload's own. */
export interface WorkloadPart extends PartInputs {
  readonly workload: Workload;
  readonly ref: ScopeRef;
  readonly interception: Proxy["interception"];
  readonly families: ClusterClient["families"];
}

const concerned: ReadonlySet<string> = new Set(["Instance", "Service", "DestinationRule", "Sidecar"]);

/** CDS: a cluster per port that the proxy's own workload serves. Few and cheap, so always all of them. */
export function inboundClusters(writer: ProtoWriter): PartFamily<WorkloadPart> {
  return {
    name: "inbound",
    parts: (proxy, push) => {
      if (proxy.type !== "sidecar" || proxy.generator === "grpc") return [];
      const { ipAddresses: addresses, namespace, labels, interception } = proxy;
      const workload = { addresses, namespace, labels };
      const ref = scopeRefOf(proxy, push);
      const { families } = clusterClientOf(proxy);
      return [{ id: `${interception} ${workloadId(workload, ref)}`, workload, ref, interception, families }];
    },
    scope: ({ workload, ref }, push) => inboundScopeFor(workload, ref, push),
    concerns: (kind) => concerned.has(kind),
    generate: ({ inputs, push }) => ({
      covers: "all",
      resources: workloadClusters(inputs, push).map((cluster) => buildInboundCluster(cluster, writer)),
    }),
  };
}
