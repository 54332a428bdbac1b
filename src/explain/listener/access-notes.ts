import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";

/** Filters that may refuse a request. Their rules are not evaluated here. */
const guards: ReadonlyMap<string, string> = new Map([
  ["envoy.extensions.filters.network.rbac.v3.RBAC", "authorization rules (RBAC)"],
  ["envoy.extensions.filters.network.ext_authz.v3.ExtAuthz", "an external authorizer"],
  ["envoy.extensions.filters.http.rbac.v3.RBAC", "authorization rules (RBAC)"],
  ["envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication", "a check of tokens (JWT)"],
  ["envoy.extensions.filters.http.ext_authz.v3.ExtAuthz", "an external authorizer"],
  ["envoy.extensions.filters.http.ratelimit.v3.RateLimit", "a rate limit"],
  ["envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit", "a rate limit"],
]);

/** A note for each kind of guard among the filters of a chain, HTTP filters included. */
export function accessNotesOf({ filters }: FilterChain): readonly string[] {
  const configs = filters.flatMap(({ configType }) => (configType.case === "typedConfig" ? [configType.value] : []));
  const found = [...configs, ...configs.flatMap(httpFiltersIn)].flatMap(
    ({ typeUrl }) => guards.get(typeName(typeUrl)) ?? [],
  );
  return [...new Set(found)].map((guard) => `${guard} may reject it: not evaluated here`);
}

function httpFiltersIn(config: Any): readonly Any[] {
  const { httpFilters = [] } = anyUnpack(config, HttpConnectionManagerSchema) ?? {};
  return httpFilters.flatMap(({ configType }) => (configType.case === "typedConfig" ? [configType.value] : []));
}

function typeName(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
}
