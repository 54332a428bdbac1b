import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { Client } from "../../xds/resource-source.ts";
import { SnapshotSource } from "../../xds/snapshot-source.ts";
import { warmingRules } from "../../xds/stream/warming.ts";
import { type StreamKind, XdsServer } from "../../xds/xds-server.ts";
import { FakeClock } from "../fake-clock.ts";
import { RecordingObserver } from "../recording/recording-observer.ts";
import { streamPair } from "../stream/stream-pair.ts";

type Init<Schema> = Schema extends typeof DiscoveryRequestSchema | typeof DeltaDiscoveryRequestSchema
  ? Exclude<MessageInitShape<Schema>, { $typeName: string }>
  : never;

const group = "all";

/** Names with a content, by type URL. */
export type Contents = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The protocol on a snapshot, without sockets and with time in the test's hands. */
export class SnapshotRig {
  readonly clock = new FakeClock();
  readonly observer = new RecordingObserver();
  readonly source = new SnapshotSource<Client>({ groupOf: () => group });
  readonly server: XdsServer<Client>;

  constructor() {
    this.server = new XdsServer<Client>({
      source: this.source,
      clock: this.clock,
      observer: this.observer,
      warmingRules,
      ackTimeoutMs: 15_000,
      admit: () => ({ type: "admitted", introduce: () => ({ type: "client", client: { nodeId: "node" } }) }),
      idOf: ({ nodeId }) => nodeId,
    });
    this.source.onChange(() => {
      const push = { reasons: new Map([["edit", 1]]), startedAt: this.clock.now() };
      for (const connection of this.server.connections) connection.push(push);
    });
  }

  set(contents: Contents): void {
    const resources = Object.entries(contents).flatMap(([typeUrl, names]) =>
      Object.entries(names).map(([name, content]) => {
        const warmedBy = typeUrl.endsWith(".Cluster") ? { warmedBy: name } : {};
        return { typeUrl, name, value: Buffer.from(content), ...warmedBy };
      }),
    );
    this.source.set(group, { resources });
  }

  sotw(kind: Omit<StreamKind, "mode"> = {}) {
    const { server, client } = streamPair();
    this.server.serve(server, { mode: "sotw", ...kind });
    let read = 0;
    return {
      client,
      ask: (init: Init<typeof DiscoveryRequestSchema>) =>
        client.send(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init))),
      /** Everything that has come since the last look. */
      read: () => {
        const fresh = client.received.slice(read).map((bytes) => fromBinary(DiscoveryResponseSchema, bytes));
        read = client.received.length;
        return fresh;
      },
    };
  }

  delta(kind: Omit<StreamKind, "mode"> = {}) {
    const { server, client } = streamPair();
    this.server.serve(server, { mode: "delta", ...kind });
    let read = 0;
    return {
      client,
      ask: (init: Init<typeof DeltaDiscoveryRequestSchema>) =>
        client.send(toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, init))),
      /** Everything that has come since the last look. */
      read: () => {
        const fresh = client.received.slice(read).map((bytes) => fromBinary(DeltaDiscoveryResponseSchema, bytes));
        read = client.received.length;
        return fresh;
      },
    };
  }
}
