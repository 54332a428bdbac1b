import { FilterSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { HttpFilterSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { memoize } from "../../lib/memo.ts";
import type { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../model/mesh-settings.ts";
import type { TrafficPolicies } from "../model/policy/traffic-policies.ts";
import {
  authorization,
  customAuthorization,
  networkAuthorization,
  networkCustomAuthorization,
} from "./authorization/authorization-filters.ts";
import { httpExtensions, networkExtensions } from "./extension/extension-filters.ts";
import { jwt } from "./authentication/jwt.ts";
import { alpn } from "./filters/alpn.ts";
import { cors } from "./filters/cors.ts";
import { fault } from "./filters/fault.ts";
import {
  type Filter,
  type FilterContext,
  type FilterSource,
  filterMessage,
  type NetworkContext,
} from "./filters/filter.ts";
import { grpcStats } from "./filters/grpc-stats.ts";
import { grpcWeb } from "./filters/grpc-web.ts";
import {
  downstreamMetadataExchange,
  guardedMetadataExchange,
  networkMetadataExchange,
  upstreamMetadataExchange,
} from "./filters/metadata-exchange.ts";
import { quietRouter, router } from "./filters/router.ts";
import { networkStatsFilters, statsFilters } from "./telemetry/stats-filters.ts";

/** Every HTTP filter we know, and every source of some, in the order in which a request passes them. */
const httpFilters: readonly (Filter | FilterSource)[] = [
  upstreamMetadataExchange,
  guardedMetadataExchange,
  downstreamMetadataExchange,
  customAuthorization,
  httpExtensions("authn"),
  jwt,
  httpExtensions("authz"),
  authorization,
  httpExtensions("stats"),
  httpExtensions("unspecified"),
  grpcWeb,
  grpcStats,
  alpn,
  fault,
  cors,
  statsFilters,
  router,
  quietRouter,
];

/** Every network filter that a connection passes before it is proxied, in this order. */
const networkFilters: readonly (Filter<NetworkContext> | FilterSource<NetworkContext>)[] = [
  networkMetadataExchange,
  networkCustomAuthorization,
  networkExtensions("authn"),
  networkExtensions("authz"),
  networkAuthorization,
  networkExtensions("stats"),
  networkExtensions("unspecified"),
  networkStatsFilters,
];

/** The encoded `HttpFilter`s of a connection manager. Equal contexts share them. */
export function httpFiltersFor(context: FilterContext, writer: ProtoWriter): readonly Uint8Array[] {
  const { mesh, policies, ...facts } = context;
  return encodeHttpFilters([mesh, policies, writer], facts);
}

type Held = readonly [MeshSettings, TrafficPolicies, ProtoWriter];

/** One encoding for all filter chains with the same context. */
const encodeHttpFilters = memoize(([mesh, policies, writer]: Held, facts: Omit<FilterContext, "mesh" | "policies">) =>
  applying(httpFilters, { ...facts, mesh, policies }, writer).map((filter) => writer.encode(HttpFilterSchema, filter)),
);

/** The encoded `Filter`s of a chain, up to the one that ends it. */
export function networkFiltersFor(context: NetworkContext, writer: ProtoWriter): readonly Uint8Array[] {
  return applying(networkFilters, context, writer).map((filter) => writer.encode(FilterSchema, filter));
}

function applying<Context>(
  filters: readonly (Filter<Context> | FilterSource<Context>)[],
  context: Context,
  writer: ProtoWriter,
) {
  return filters.flatMap((filter) => {
    if (typeof filter === "function") return filter(context, writer);
    return filter.appliesTo(context) ? [filterMessage(filter, writer)] : [];
  });
}
