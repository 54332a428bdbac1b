import type { JsonObject } from "@bufbuild/protobuf";
import { type Group, group, type Place, row } from "../../row.ts";
import { anyHost, byPatch, patch, patches } from "./patches.ts";

/** Endpoints at the server `other`. */
function endpoints({ ports }: Place): JsonObject {
  const address = { socket_address: { address: "127.0.0.1", port_value: ports["other"] ?? 0 } };
  return { endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] };
}

/** A static cluster of the server `other`. */
function clusterNamed(name: string, place: Place): JsonObject {
  return {
    name,
    type: "STATIC",
    connect_timeout: "2s",
    load_assignment: { cluster_name: name, ...endpoints(place) },
  };
}

function routeTo(path: string, cluster: string): JsonObject {
  return patch("HTTP_ROUTE", "INSERT_FIRST", anyHost, { name: path, match: { path }, route: { cluster } });
}

const inbound = { cluster: { name: "inbound|8080||" } };
const fromOther = { answer: '"name":"other"' };

/** Clusters: every operation, in every context. */
export const clusterGroups: readonly Group[] = [
  group(
    "An added cluster",
    (place) =>
      patches(
        patch("CLUSTER", "ADD", {}, clusterNamed("added", place)),
        routeTo("/added", "added"),
        routeTo("/x", "x"),
      ),
    [
      row("takes requests", { path: "/added" }, 200, byPatch(1, 0), fromOther),
      row("leaves other routes", {}, 200, [], { answer: '"name":"app"' }),
      row("is not the cluster of another name", { path: "/x" }, 503, byPatch(2)),
    ],
  ),
  group(
    "A merged cluster",
    (place) => patches(patch("CLUSTER", "MERGE_AND_REPLACE_LIST", inbound, { load_assignment: endpoints(place) })),
    [row("has the endpoints of the patch", {}, 200, byPatch(0), fromOther)],
    { alone: true },
  ),
  group(
    "A removed cluster",
    patches(patch("CLUSTER", "REMOVE", inbound)),
    [row("takes no requests", {}, 503, byPatch(0)), row("leaves other clusters", { protocol: "tcp" }, "answered")],
    { alone: true },
  ),
];
