import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { PushContext } from "../../../model/push-context.ts";
import { isResolvedByClient, serviceKey } from "../../../model/service/service.ts";
import type { ServiceCluster } from "../../../networking/cluster/outbound/service-clusters.ts";
import {
  buildGrpcCluster,
  emptyGrpcCluster,
  type GrpcClusterInputs,
} from "../../../networking/grpc/build-grpc-cluster.ts";
import { allBut, type PartFamily } from "../../generator.ts";
import { type ClustersPart, clusterDependencies, clustersAsked, clustersParts } from "./named-clusters.ts";

/** CDS for proxyless clients: the clusters that their routes name. Few and remembered, so all of them with every change. */
export function grpcClusters(writer: ProtoWriter): PartFamily<ClustersPart> {
  return {
    name: "grpc",
    parts: clustersParts("clusters"),
    concerns: allBut("Endpoints", "Instance", "Gateway", "PeerAuthentication"),
    dependencies: clusterDependencies,
    generate: ({ inputs, push }) => {
      const resources = Array.from(clustersAsked(inputs, push), ([name, cluster]) =>
        cluster === undefined ? emptyGrpcCluster(name, writer) : buildGrpcCluster(inputsOf(cluster, push), writer),
      );
      return { covers: inputs.names, resources };
    },
  };
}

/** The cluster contains only names that the client resolves itself; all other endpoints are in EDS. */
function inputsOf(cluster: ServiceCluster, push: PushContext): GrpcClusterInputs {
  const key = serviceKey(cluster.service);
  const endpoints = isResolvedByClient(cluster.service) ? push.endpoints.get(key) : undefined;
  return { ...cluster, mesh: push.mesh, peers: push.peers.get(key), endpoints };
}
