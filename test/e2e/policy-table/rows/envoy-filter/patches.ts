import type { JsonObject } from "@bufbuild/protobuf";
import { type MeshObject, object } from "../../row.ts";

export const types = "type.googleapis.com/envoy.extensions.filters";
export const manager = "envoy.filters.network.http_connection_manager";
export const atRouter = {
  filterChain: { filter: { name: manager, subFilter: { name: "envoy.filters.http.router" } } },
};

export function patches(...configPatches: readonly JsonObject[]): readonly MeshObject[] {
  return [object("EnvoyFilter", "patches", { configPatches: [...configPatches] })];
}

/** The patches of the only EnvoyFilter of a group, as deciders of a row. */
export function byPatch(...indexes: readonly number[]): readonly string[] {
  return indexes.map((index) => `EnvoyFilter patches configPatches[${index}]`);
}

export function patch(applyTo: string, operation: string, match: JsonObject, value?: JsonObject): JsonObject {
  return {
    applyTo,
    match: { context: "SIDECAR_INBOUND", ...match },
    patch: { operation, ...(value !== undefined && { value }) },
  };
}

export function header(name: string, value = "patched"): JsonObject {
  return { request_headers_to_add: [{ header: { key: name, value } }] };
}

/** A filter that sets a header of the request. */
export function marking(name: string, value: string): JsonObject {
  return {
    name,
    typed_config: {
      "@type": `${types}.http.header_mutation.v3.HeaderMutation`,
      mutations: { request_mutations: [{ append: { header: { key: `x-${name}`, value } } }] },
    },
  };
}

export const direct = (path: string, status: number) => ({ name: path, match: { path }, direct_response: { status } });
export const anyHost = { routeConfiguration: { vhost: {} } };
export const defaultRoute = { routeConfiguration: { vhost: { route: { name: "default" } } } };
export const web = { listener: { portNumber: 8080, ...atRouter } };
export const tcpProxy = {
  listener: { portNumber: 9000, filterChain: { filter: { name: "envoy.filters.network.tcp_proxy" } } },
};
