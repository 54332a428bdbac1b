import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { framed } from "./frames.ts";

/** An input with requests of the state-of-the-world protocol. */
export function sotwSeed(...requests: readonly MessageInitShape<typeof DiscoveryRequestSchema>[]): Uint8Array {
  return framed(requests.map((init) => toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init))));
}

/** An input with requests of the incremental protocol. */
export function deltaSeed(...requests: readonly MessageInitShape<typeof DeltaDiscoveryRequestSchema>[]): Uint8Array {
  const schema = DeltaDiscoveryRequestSchema;
  return framed(requests.map((init) => toBinary(schema, create(schema, init))));
}
