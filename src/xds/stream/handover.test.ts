import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { DiscoveryRequestSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { SnapshotRig } from "../../testing/envoy/snapshot-rig.ts";
import { RecordingObserver } from "../../testing/recording/recording-observer.ts";
import { streamPair } from "../../testing/stream/stream-pair.ts";
import type { Client } from "../resource-source.ts";
import { clusterType } from "../type-urls.ts";
import { BadMessage } from "../wire/wire-format.ts";
import { XdsServer } from "../xds-server.ts";
import { warmingRules } from "./warming.ts";

/** A server that hands over streams of the node "guest". The content of the clusters names the serving server. */
function house(host = new SnapshotRig(), serve = (stream: GrpcStream) => host.server.serve(stream, { mode: "sotw" })) {
  const rig = new SnapshotRig();
  const observer = new RecordingObserver();
  rig.set({ [clusterType]: { a: "for residents" } });
  host.set({ [clusterType]: { a: "for guests" } });
  const front = new XdsServer<Client>({
    source: rig.source,
    clock: rig.clock,
    observer,
    warmingRules,
    ackTimeoutMs: 15_000,
    admit: () => ({ type: "admitted", introduce: () => ({ type: "client", client: { nodeId: "resident" } }) }),
    idOf: ({ nodeId }) => nodeId,
    otherServer: (node) => {
      if (Buffer.from(node).includes("spoilt")) throw new BadMessage("truncated message");
      return Buffer.from(node).includes("guest") ? serve : undefined;
    },
  });
  const { server, client } = streamPair();
  front.serve(server, { mode: "sotw" });
  const ask = (id: string) => {
    const request = create(DiscoveryRequestSchema, { node: { id }, typeUrl: clusterType });
    client.send(toBinary(DiscoveryRequestSchema, request));
  };
  const read = () =>
    client.received.map((bytes) => {
      const [any] = fromBinary(DiscoveryResponseSchema, bytes).resources;
      return Buffer.from(any?.value ?? []).toString();
    });
  return { front, host, observer, client, ask, read };
}

test("the first message of a stream selects its server, until the stream ends", () => {
  const { front, host, client, ask, read } = house();
  ask("a guest");
  expect([front.connections.size, host.server.connections.size]).toEqual([0, 1]);
  expect(read()).toEqual(["for guests"]);
  ask("a guest");
  client.cancel();
  expect(host.server.connections.size).toBe(0);
});

test("a stream stays if its first message does not hand it over", () => {
  const { front, host, ask, read } = house();
  ask("resident");
  ask("resident");
  expect(read()).toEqual(["for residents"]);
  expect([front.connections.size, host.server.connections.size]).toEqual([1, 0]);
});

function turnAway(stream: GrpcStream): void {
  stream.end(GrpcStatus.PERMISSION_DENIED, "not for you");
}

test("a refused stream is not handed over", () => {
  const { front, client, ask } = house(new SnapshotRig(), turnAway);
  ask("a guest");
  expect(client.status).toEqual({ code: GrpcStatus.PERMISSION_DENIED, message: "not for you" });
  expect(front.connections.size).toBe(0);
});

test("a stream with an unreadable node stays, because this server reports the error", () => {
  const { front, host, client, ask, read } = house();
  ask("spoilt");
  expect([front.connections.size, host.server.connections.size]).toEqual([1, 0]);
  expect(read()).toEqual(["for residents"]);
  expect(client.status).toBeUndefined();
});

test("bytes that are no message are refused without a handover", () => {
  const { client, observer } = house();
  client.send(Uint8Array.of(0xff));
  expect(client.status?.code).toBe(GrpcStatus.INVALID_ARGUMENT);
  expect(observer.refusals).toEqual(["truncated message"]);
});
