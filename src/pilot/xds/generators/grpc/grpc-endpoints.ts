import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { mtlsRefusalsIn } from "../../../model/mtls/mtls-refusals.ts";
import { isResolvedByClient, serviceKey } from "../../../model/service/service.ts";
import { nameToResolve } from "../../../networking/grpc/build-grpc-cluster.ts";
import { buildGrpcLoadAssignment } from "../../../networking/grpc/build-grpc-load-assignment.ts";
import { allBut, type PartFamily } from "../../generator.ts";
import { type ClustersPart, clusterDependencies, clustersAsked, clustersParts } from "./named-clusters.ts";

/** EDS for proxyless clients: the endpoints of the clusters they have. */
export function grpcEndpoints(writer: ProtoWriter): PartFamily<ClustersPart> {
  return {
    name: "grpc",
    parts: clustersParts("endpoints"),
    concerns: allBut("Instance", "Gateway"),
    dependencies: clusterDependencies,
    generate: ({ inputs: { location, ...inputs }, push }) => {
      const { mesh, networks } = push;
      const around = { mesh, networks, refusals: mtlsRefusalsIn(push), location };
      const resources = Array.from(clustersAsked({ ...inputs, location }, push)).flatMap(([, cluster]) => {
        if (cluster === undefined) return [];
        const { service, port, subset } = cluster;
        const endpoints = push.endpoints.get(serviceKey(service));
        // If the client resolves a name itself, its cluster contains the name.
        if (isResolvedByClient(service) && nameToResolve(endpoints, port, subset) !== undefined) return [];
        return [buildGrpcLoadAssignment({ ...cluster, ...around, endpoints }, writer)];
      });
      return { covers: inputs.names, resources };
    },
  };
}
