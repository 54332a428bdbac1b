import { VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import { httpRouteName } from "../../model/merged-gateway.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";
import type { GatewayRouteInputs } from "./gateway-hosts.ts";
import { gatewayHosts } from "./gateway-hosts.ts";
import { virtualHostsOf } from "./virtual-hosts.ts";

/** The largest body of a direct response: Envoy's own limit of 4 KiB is too small for a page. */
const maxBodyBytes = 1024 * 1024;

/** Undefined for ports without a route configuration. */
export function buildGatewayRoutes(inputs: GatewayRouteInputs, writer: ProtoWriter): Resource | undefined {
  const { port } = inputs;
  const name = httpRouteName(port);
  if (name === undefined) return undefined;
  const { drafts, owners } = gatewayHosts(inputs, writer);
  const hosts = drafts.length === 0 ? [blackhole(port.port, writer)] : virtualHostsOf(drafts, writer);
  return makeResource({
    name,
    any: encodeConfiguration(name, hosts, writer),
    owners: [...port.servers.map(({ gateway }) => gateway.owner), ...owners],
  });
}

/** The answer for a name nobody serves any more: Envoy may still ask while it drains the listener. */
export function emptyRoutes(name: string, writer: ProtoWriter): Resource {
  const port = /^http\.(\d+)/.exec(name)?.[1];
  const any =
    port === undefined
      ? writer.any(RouteConfigurationSchema, { name, validateClusters: false })
      : encodeConfiguration(name, [blackhole(Number(port), writer)], writer);
  return makeResource({ name, any, owners: [] });
}

/** Envoy rejects routes to unknown clusters if asked to validate; we may send them before their clusters. */
function encodeConfiguration(name: string, virtualHosts: readonly Uint8Array[], writer: ProtoWriter): Uint8Array {
  return writer.any(RouteConfigurationSchema, {
    name,
    virtualHosts,
    validateClusters: false,
    maxDirectResponseBodySizeBytes: maxBodyBytes,
    ignorePortInHostMatching: true,
  });
}

/** Takes every host and has no route: everything is answered with 404. */
function blackhole(port: number, writer: ProtoWriter): Uint8Array {
  return writer.encode(VirtualHostSchema, { name: `blackhole:${port}`, domains: ["*"] });
}
