import type { ProtoWriter } from "../../../../lib/proto-writer.ts";
import { serviceKey } from "../../../model/service.ts";
import { buildGrpcLoadAssignment } from "../../../networking/grpc/build-grpc-load-assignment.ts";
import type { PartFamily } from "../../generator.ts";
import { isResolvedByClient } from "./grpc-clusters.ts";
import { clusterScope, clustersAsked } from "./named-clusters.ts";
import { type NamesPart, namesParts } from "./names-part.ts";

const ignored: ReadonlySet<string> = new Set(["Instance", "Gateway"]);

/** EDS for proxyless clients: the endpoints of the clusters they have. */
export function grpcEndpoints(writer: ProtoWriter): PartFamily<NamesPart> {
  return {
    name: "grpc",
    parts: namesParts,
    scope: clusterScope,
    concerns: (kind) => !ignored.has(kind),
    generate: ({ inputs, push }) => {
      const resources = Array.from(clustersAsked(inputs, push)).flatMap(([, cluster]) => {
        if (cluster === undefined || isResolvedByClient(cluster.service)) return [];
        const endpoints = push.endpoints.get(serviceKey(cluster.service));
        return [buildGrpcLoadAssignment({ ...cluster, endpoints }, writer)];
      });
      return { covers: "all", resources };
    },
  };
}
