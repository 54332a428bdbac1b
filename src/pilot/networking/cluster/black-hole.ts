import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";

const name = "BlackHoleCluster";

/** Where traffic goes that must go nowhere. */
export function blackHoleCluster(mesh: MeshSettings, writer: ProtoWriter): Resource {
  const any = writer.any(ClusterSchema, {
    name,
    altStatName: `${name};`,
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
    connectTimeout: mesh.connectTimeout,
  });
  return makeResource({ name, any, owners: [] });
}
