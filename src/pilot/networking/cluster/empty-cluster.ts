import type { JsonObject } from "@bufbuild/protobuf";
import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { ConfigId } from "../../../config/config.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";

interface EmptyClusterInputs {
  readonly name: string;
  readonly mesh: MeshSettings;
  readonly metadata?: JsonObject;
  readonly owners: readonly ConfigId[];
}

/** A cluster without endpoints, for blocked traffic. Envoy responds with 503. */
export function emptyCluster({ name, mesh, metadata, owners }: EmptyClusterInputs, writer: ProtoWriter): Resource {
  const any = writer.any(ClusterSchema, {
    name,
    altStatName: `${name};`,
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
    connectTimeout: mesh.connectTimeout,
    metadata: metadata === undefined ? undefined : { filterMetadata: { istio: metadata } },
  });
  return makeResource({ name, any, owners });
}
