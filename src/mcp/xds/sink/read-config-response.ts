import { fromBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryResponseSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { type ApiAge, apiAgeOf } from "../../../config/old-api/api-age.ts";
import type { Mode } from "../../../xds/mode.ts";

/** One response, in either variant. */
export interface ConfigResponse {
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  readonly resources: readonly SentResource[];
  /** The API age of objects that do not come from a Binnacle. */
  readonly age: ApiAge;
  /** By name. A SotW response removes resources by omission instead. */
  readonly removed: readonly string[];
}

/** A received resource, not opened yet. */
export interface SentResource {
  /** The name in the protocol wrapper. Undefined in SotW, where only the resource itself has a name. */
  readonly name: string | undefined;
  readonly version: string;
  /** The type URL and bytes of the Any. */
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/** Throws on bytes that are no response. */
export function readConfigResponse(bytes: Uint8Array, mode: Mode): ConfigResponse {
  return mode === "sotw" ? readSotw(bytes) : readDelta(bytes);
}

function readSotw(bytes: Uint8Array): ConfigResponse {
  const { typeUrl, versionInfo, nonce, resources, controlPlane } = fromBinary(DiscoveryResponseSchema, bytes);
  const sent = resources.map((any) => ({ name: undefined, version: "", typeUrl: any.typeUrl, value: any.value }));
  return { typeUrl, version: versionInfo, nonce, resources: sent, age: ageOf(controlPlane), removed: [] };
}

function readDelta(bytes: Uint8Array): ConfigResponse {
  const message = fromBinary(DeltaDiscoveryResponseSchema, bytes);
  const { typeUrl, systemVersionInfo, nonce, resources, removedResources, controlPlane } = message;
  const sent = resources.map(({ name, version, resource }) => ({
    name,
    version,
    typeUrl: resource?.typeUrl ?? "",
    value: resource?.value ?? new Uint8Array(),
  }));
  return {
    typeUrl,
    version: systemVersionInfo,
    nonce,
    resources: sent,
    age: ageOf(controlPlane),
    removed: removedResources,
  };
}

function ageOf(controlPlane: DiscoveryResponse["controlPlane"]): ApiAge {
  return apiAgeOf(controlPlane?.identifier ?? "");
}
