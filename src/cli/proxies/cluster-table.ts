import { type Cluster, Cluster_DiscoveryType } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { KnownConfig } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";
import { ownerPlaces } from "./owner-places.ts";

/** As `istioctl proxy-config cluster` has it. */
export function clusterTable(known: KnownConfig): string {
  const rows = known.config.clusters.map((cluster) => [
    ...nameColumns(cluster.name),
    typeOf(cluster),
    ownerPlaces(known, "cluster", cluster.name, "DestinationRule"),
  ]);
  return textTable(["SERVICE FQDN", "PORT", "SUBSET", "DIRECTION", "TYPE", "DESTINATION RULE"], rows);
}

/** `outbound|9080|v1|reviews.default.svc.cluster.local` has all of it in its name; others have a name of their own. */
function nameColumns(name: string): readonly [fqdn: string, port: string, subset: string, direction: string] {
  const [direction, port, subset, hostname] = name.split("|");
  if (direction === undefined || port === undefined || subset === undefined || hostname === undefined) {
    return [name, "-", "-", "-"];
  }
  return [hostname, port, subset || "-", direction];
}

function typeOf({ clusterDiscoveryType: { case: how, value } }: Cluster): string {
  if (how === "clusterType") return value.name;
  return Cluster_DiscoveryType[value ?? Cluster_DiscoveryType.STATIC];
}
