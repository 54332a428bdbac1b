import { toBinary } from "@bufbuild/protobuf";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import type { PlainResource } from "../../xds/resources/make-resource.ts";
import { routeType } from "../../xds/type-urls.ts";
import { type RouteInit, routesFor, toyRoute } from "./toy-envoy-config.ts";

/**
 * A route configuration with `count` virtual hosts, `h0`, `h1`, …, and a catch-all. `edits` replaces the clusters of
 * single hosts, or adds hosts.
 */
export function largeRoutes(name: string, count: number, edits: Readonly<Record<string, string>> = {}): PlainResource {
  const hosts: Record<string, readonly RouteInit[]> = {};
  for (let index = 0; index < count; index++) hosts[`h${index}`] = [toyRoute(`c${index}`)];
  for (const [host, cluster] of Object.entries({ ...edits, "*": edits["*"] ?? "elsewhere" })) {
    hosts[host] = [toyRoute(cluster)];
  }
  return { typeUrl: routeType, name, value: toBinary(RouteConfigurationSchema, routesFor(name, hosts)) };
}
