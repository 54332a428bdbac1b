import { fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { type Listener, ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { oncePer } from "../../lib/memo.ts";
import type { Resource } from "../resources/resource.ts";
import { clusterType, endpointType, listenerType, routeType, secretType } from "../type-urls.ts";
import type { Dialect } from "./dialect.ts";
import { anyIn, entryOf } from "./entry.ts";
import { scanFields } from "./wire-format.ts";

/**
 * xDS v2, for clients older than v3. The message fields in use are the same on the wire. So resources are the same
 * bytes under other type URLs, and versions are the same too.
 */
const v2Types: ReadonlyMap<string, string> = new Map([
  ["type.googleapis.com/envoy.api.v2.Cluster", clusterType],
  ["type.googleapis.com/envoy.api.v2.ClusterLoadAssignment", endpointType],
  ["type.googleapis.com/envoy.api.v2.Listener", listenerType],
  ["type.googleapis.com/envoy.api.v2.RouteConfiguration", routeType],
  ["type.googleapis.com/envoy.api.v2.auth.Secret", secretType],
]);

const managers = {
  v3: "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
  v2: "type.googleapis.com/envoy.config.filter.network.http_connection_manager.v2.HttpConnectionManager",
};

const dialects: ReadonlyMap<string, Dialect> = new Map(
  Array.from(v2Types.keys(), (typeUrl) => [typeUrl, { typeUrl, translate: translator(typeUrl) }]),
);

/** The v3 type of a v2 or v3 type URL, and the dialect of the client that sent it. */
export function readTypeUrl(typeUrl: string): { readonly typeUrl: string; readonly dialect: Dialect } {
  return { typeUrl: v2Types.get(typeUrl) ?? typeUrl, dialect: dialects.get(typeUrl) ?? { typeUrl } };
}

function translator(typeUrl: string): (resource: Resource) => Resource {
  return oncePer((resource: Resource) => ({ ...resource, entry: translateEntry(resource.entry, typeUrl) }));
}

function translateEntry(entry: Uint8Array, typeUrl: string): Uint8Array {
  const any = anyIn(entry);
  let message: Uint8Array = new Uint8Array();
  scanFields(any, (field, start, end) => {
    if (field === 2) message = any.subarray(start, end);
  });
  return entryOf(typeUrl, v2Types.get(typeUrl) === listenerType ? translateListener(message) : message);
}

/** Renames the connection manager, because a v2 client looks for its v2 name. */
function translateListener(value: Uint8Array): Uint8Array {
  const listener = fromBinary(ListenerSchema, value);
  for (const any of managersIn(listener)) if (any.typeUrl === managers.v3) any.typeUrl = managers.v2;
  return toBinary(ListenerSchema, listener);
}

function managersIn({ apiListener, filterChains }: Listener): readonly Any[] {
  const inChains = filterChains.flatMap(({ filters }) =>
    filters.flatMap(({ configType }) => (configType.case === "typedConfig" ? [configType.value] : [])),
  );
  return apiListener?.apiListener === undefined ? inChains : [apiListener.apiListener, ...inChains];
}
