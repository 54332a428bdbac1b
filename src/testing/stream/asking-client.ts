import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { TestClientStream } from "./stream-pair.ts";

/** A SotW client of xDS that sends only what a test makes it send. */
export function sotwClient(client: TestClientStream) {
  return askingClient(client, DiscoveryRequestSchema, DiscoveryResponseSchema);
}

/** The same with delta xDS. */
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
