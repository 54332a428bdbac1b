import { VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import type { ConfigId } from "../../../config/config.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Resource } from "../../model/resource.ts";
import { entryTag, makeResource } from "../make-resource.ts";

/** The content of a route configuration. */
export interface RouteConfigurationInputs {
  readonly name: string;
  /** Encoded, in order. */
  readonly virtualHosts: readonly Uint8Array[];
  /** Whether `example.com:8080` in a request means the domain `example.com`. */
  readonly ignorePort: boolean;
  readonly owners: readonly ConfigId[];
  /** The owners of each host, by its name. */
  readonly hostOwners?: ReadonlyMap<string, readonly ConfigId[]>;
}

/** The largest body of a direct response: Envoy's own limit of 4 KiB is too small for a page. */
const maxBodyBytes = 1024 * 1024;

/** Envoy rejects routes to unknown clusters if asked to validate; we may send them before their clusters. */
export function buildRouteConfiguration(inputs: RouteConfigurationInputs, writer: ProtoWriter): Resource {
  const { name, virtualHosts, ignorePort, owners, hostOwners } = inputs;
  const entry = writer.anyField(entryTag, RouteConfigurationSchema, {
    name,
    virtualHosts,
    validateClusters: false,
    maxDirectResponseBodySizeBytes: maxBodyBytes,
    ignorePortInHostMatching: ignorePort,
  });
  return makeResource({ name, entry, owners, hostOwners });
}

/** The response for a removed name: Envoy may still request it while it drains the listener. */
export function emptyRoutes(name: string, writer: ProtoWriter): Resource {
  const port = /^http\.(\d+)/.exec(name)?.[1];
  if (port !== undefined) {
    const virtualHosts = [blackhole(Number(port), writer)];
    return buildRouteConfiguration({ name, virtualHosts, ignorePort: true, owners: [] }, writer);
  }
  const any = writer.any(RouteConfigurationSchema, { name, validateClusters: false });
  return makeResource({ name, any, owners: [] });
}

/** Matches every host of a gateway's port, without a route. Envoy responds with 404. */
export function blackhole(port: number, writer: ProtoWriter): Uint8Array {
  return writer.encode(VirtualHostSchema, { name: `blackhole:${port}`, domains: ["*"] });
}
