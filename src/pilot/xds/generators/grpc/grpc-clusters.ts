import type { ProtoWriter } from "../../../../lib/proto-writer.ts";
import type { PushContext } from "../../../model/push-context.ts";
import { type Service, serviceKey } from "../../../model/service.ts";
import { buildGrpcCluster, emptyGrpcCluster } from "../../../networking/grpc/build-grpc-cluster.ts";
import type { PartFamily } from "../../generator.ts";
import { clusterScope, clustersAsked } from "./named-clusters.ts";
import { type NamesPart, namesParts } from "./names-part.ts";

const ignored: ReadonlySet<string> = new Set(["Endpoints", "Instance", "Gateway"]);

/** CDS for proxyless clients: the clusters that their routes name. Few and remembered, so always all of them. */
export function grpcClusters(writer: ProtoWriter): PartFamily<NamesPart> {
  return {
    name: "grpc",
    parts: namesParts,
    scope: clusterScope,
    concerns: (kind) => !ignored.has(kind),
    generate: ({ inputs, push }) => {
      const resources = Array.from(clustersAsked(inputs, push), ([name, cluster]) => {
        if (cluster === undefined) return emptyGrpcCluster(name, writer);
        const endpoints = resolvedEndpoints(cluster.service, push);
        return buildGrpcCluster({ ...cluster, mesh: push.mesh, endpoints }, writer);
      });
      return { covers: "all", resources };
    },
  };
}

/** Only names that the client resolves itself stand in the cluster; all other endpoints are EDS's business. */
function resolvedEndpoints(service: Service, push: PushContext) {
  return isResolvedByClient(service) ? push.endpoints.get(serviceKey(service)) : undefined;
}

export function isResolvedByClient({ resolution }: Service): boolean {
  return resolution === "dns" || resolution === "dns-round-robin";
}
