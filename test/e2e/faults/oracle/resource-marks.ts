import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { type VirtualHost, VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { typeUrls } from "../../../../src/fleet/fleet-resource-type.ts";
import type { StreamMode } from "../../../../src/fleet/response.ts";
import { hash64 } from "../../../../src/lib/hash.ts";
import { hostResourceName } from "../../../../src/xds/virtual-hosts/host-name.ts";

/** The facts of one content of a resource that the oracle compares. */
export interface ResourceMarks {
  /** The generations that the content names. */
  readonly generations: ReadonlySet<number>;
  readonly denied: ReadonlySet<number>;
  readonly allowed: ReadonlySet<number>;
  /** A load assignment without endpoints. */
  readonly hasNoEndpoints: boolean;
  /**
   * The hash of each virtual host in the content, by the name that the host has as a resource. So a host that came in a
   * route configuration compares equal to the same host that came as a resource.
   */
  readonly hosts: ReadonlyMap<string, bigint>;
}

/** The marks of every content that any client received, by the hash of the content. */
export type KnownMarks = Map<bigint, ResourceMarks>;

/** Reads the marks of new contents in a response. */
export function learnMarks(mode: StreamMode, response: Uint8Array, known: KnownMarks): void {
  for (const { typeUrl, value } of resourcesOf(mode, response)) {
    const content = hash64(value);
    if (!known.has(content)) known.set(content, marksOf(typeUrl, value));
  }
}

function resourcesOf(mode: StreamMode, response: Uint8Array) {
  if (mode === "sotw") return fromBinary(DiscoveryResponseSchema, response).resources;
  return fromBinary(DeltaDiscoveryResponseSchema, response).resources.flatMap(({ resource }) => resource ?? []);
}

function marksOf(typeUrl: string, value: Uint8Array): ResourceMarks {
  const text = Buffer.from(value).toString("latin1");
  const numbers = (pattern: RegExp) => new Set(Array.from(text.matchAll(pattern), ([, digits]) => Number(digits)));
  return {
    generations: numbers(/gen-(\d+)/gu),
    denied: numbers(/deny-gen-(\d+)/gu),
    allowed: numbers(/allow-gen-(\d+)/gu),
    hasNoEndpoints: typeUrl === typeUrls.EDS && countEndpoints(value) === 0,
    hosts: hostsIn(typeUrl, value),
  };
}

function hostsIn(typeUrl: string, value: Uint8Array): ReadonlyMap<string, bigint> {
  const hosts = new Map<string, bigint>();
  if (typeUrl === typeUrls.VHDS) {
    const host = fromBinary(VirtualHostSchema, value);
    hosts.set(host.name, contentOf(host));
  }
  if (typeUrl !== typeUrls.RDS) return hosts;
  const { name: routes, virtualHosts } = fromBinary(RouteConfigurationSchema, value);
  const seen = new Map<string, number>();
  for (const host of virtualHosts) {
    const occurrence = (seen.get(host.name) ?? 0) + 1;
    seen.set(host.name, occurrence);
    hosts.set(hostResourceName(routes, host.name, occurrence), contentOf(host));
  }
  return hosts;
}

/** Without the name, which differs between the two forms. */
function contentOf(host: VirtualHost): bigint {
  return hash64(toBinary(VirtualHostSchema, { ...host, name: "" }));
}

function countEndpoints(value: Uint8Array): number {
  const { endpoints } = fromBinary(ClusterLoadAssignmentSchema, value);
  return endpoints.reduce((sum, { lbEndpoints }) => sum + lbEndpoints.length, 0);
}
