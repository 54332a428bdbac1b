import { fromBinary } from "@bufbuild/protobuf";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { typeUrls } from "../../../../src/fleet/fleet-resource-type.ts";
import type { StreamMode } from "../../../../src/fleet/response.ts";
import { hash64 } from "../../../../src/lib/hash.ts";

/** The facts of one content of a resource that the oracle compares. */
export interface ResourceMarks {
  /** The generations that the content names. */
  readonly generations: ReadonlySet<number>;
  readonly denied: ReadonlySet<number>;
  readonly allowed: ReadonlySet<number>;
  /** A load assignment without endpoints. */
  readonly hasNoEndpoints: boolean;
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
  };
}

function countEndpoints(value: Uint8Array): number {
  const { endpoints } = fromBinary(ClusterLoadAssignmentSchema, value);
  return endpoints.reduce((sum, { lbEndpoints }) => sum + lbEndpoints.length, 0);
}
