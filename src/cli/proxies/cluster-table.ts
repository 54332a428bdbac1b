import { type Cluster, Cluster_DiscoveryType, Cluster_LbPolicy } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { KnownConfig } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";
import { ownerObjects, ownerPlaces } from "./owner-places.ts";

const head = ["SERVICE FQDN", "PORT", "SUBSET", "DIRECTION", "TYPE", "DESTINATION RULE"];
const wideHead = ["LOAD BALANCING", "TRANSPORT", "OBJECTS"];

/** As `istioctl proxy-config cluster` has it. `wide` adds all objects behind a cluster. */
export function clusterTable(known: KnownConfig, form: "text" | "wide" = "text"): string {
  const isWide = form === "wide";
  const rows = known.config.clusters.map((cluster) => [
    ...nameColumns(cluster.name),
    typeOf(cluster),
    ownerPlaces(known, "cluster", cluster.name, "DestinationRule"),
    ...(isWide ? wideColumns(cluster, known) : []),
  ]);
  return textTable([...head, ...(isWide ? wideHead : [])], rows);
}

function wideColumns(cluster: Cluster, known: KnownConfig): readonly string[] {
  return [Cluster_LbPolicy[cluster.lbPolicy], transportOf(cluster), ownerObjects(known, "cluster", cluster.name)];
}

/** The names of the transport sockets. With several, labels of the endpoint decide. */
function transportOf({ transportSocket, transportSocketMatches }: Cluster): string {
  const names = [...transportSocketMatches.map(({ name }) => name), ...(transportSocket ? [transportSocket.name] : [])];
  return names.join(", ") || "plaintext";
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
