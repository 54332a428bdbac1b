import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { TestClientStream } from "./stream-pair.ts";

/** A client of xDS in state of the world that says what a test makes it say, and nothing by itself. */
export function sotwClient(client: TestClientStream) {
  return askingClient(client, DiscoveryRequestSchema, DiscoveryResponseSchema);
}

/** The same in the incremental protocol. */
export function deltaClient(client: TestClientStream) {
  return askingClient(client, DeltaDiscoveryRequestSchema, DeltaDiscoveryResponseSchema);
}

function askingClient<Q extends DescMessage, R extends DescMessage>(
  client: TestClientStream,
  requestSchema: Q,
  responseSchema: R,
) {
  let seen = 0;
  return {
    client,
    ask: (init: MessageInitShape<Q>) => client.send(toBinary(requestSchema, create(requestSchema, init))),
    /** Everything that has come since the last look. */
    read: () => {
      const fresh = client.received.slice(seen);
      seen = client.received.length;
      return fresh.map((bytes) => fromBinary(responseSchema, bytes));
    },
  };
}
