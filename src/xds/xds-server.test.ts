import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "vitest";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { GrpcStatus, type GrpcStream } from "../lib/grpc/grpc-stream.ts";
import { withAttach } from "../lib/grpc/with-attach.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { RecordingObserver } from "../testing/recording/recording-observer.ts";
import { streamPair } from "../testing/stream/stream-pair.ts";
import type { Admitted, Refusal } from "./admission.ts";
import type { Client } from "./resource-source.ts";
import { SnapshotSource } from "./snapshot-source.ts";
import { warmingRules } from "./stream/warming.ts";
import { clusterType, listenerType } from "./type-urls.ts";
import { type OutOfBandRequest, type StreamKind, XdsServer, type XdsServerOptions } from "./xds-server.ts";

type Sotw = Exclude<MessageInitShape<typeof DiscoveryRequestSchema>, { readonly $typeName: string }>;
type Delta = Exclude<MessageInitShape<typeof DeltaDiscoveryRequestSchema>, { readonly $typeName: string }>;

const sotw = (init: Sotw) => toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init));
const delta = (init: Delta) => toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, init));
const node = { id: "a" };

const admitted: Admitted<Client> = {
  type: "admitted",
  introduce: (bytes) => {
    if (bytes === undefined) return { type: "refused", status: GrpcStatus.UNAUTHENTICATED, message: "who are you?" };
    return { type: "client", client: { nodeId: Buffer.from(bytes).subarray(2).toString() } };
  },
};
const turnedAway: Refusal = { type: "refused", status: GrpcStatus.UNAVAILABLE, message: "full", retryAfterMs: 500 };

let observer: RecordingObserver;
let source: SnapshotSource;

beforeEach(() => {
  observer = new RecordingObserver();
  source = new SnapshotSource({ groupOf: () => "all" });
  const value = Buffer.from("1");
  source.set("all", { resources: [{ typeUrl: clusterType, name: "a", value }] });
});

function serverWith(options: Partial<XdsServerOptions<Client>> = {}): XdsServer<Client> {
  return new XdsServer<Client>({
    source,
    clock: new FakeClock(),
    observer,
    warmingRules,
    ackTimeoutMs: 15_000,
    admit: () => admitted,
    idOf: ({ nodeId }) => nodeId,
    ...options,
  });
}

/** Opens a stream on this server and records how it ends. */
function open(server: XdsServer<Client>, kind: StreamKind = { mode: "sotw" }) {
  const pair = streamPair();
  const ends: unknown[] = [];
  const end: GrpcStream["end"] = (...args) => {
    ends.push(args);
    pair.server.end(...args);
  };
  const attach: GrpcStream["attach"] = (handler) => pair.server.attach(handler);
  const stream = Object.assign(withAttach(pair.server, attach), { end });
  server.serve(stream, kind);
  return { client: pair.client, stream, ends };
}

describe("a stream", () => {
  test("becomes a connection with its first message, under its own id, until it ends", () => {
    const gone: string[] = [];
    const server: XdsServer<Client> = serverWith({
      onGone: ({ id }) => gone.push(`${id} of ${server.connections.size + 1}`),
    });
    const [one, other] = [open(server), open(server)];
    expect(server.connections.size).toBe(0);
    one.client.send(sotw({ node, typeUrl: clusterType }));
    other.client.send(sotw({ node: { id: "b" }, typeUrl: clusterType }));
    other.client.send(sotw({ typeUrl: listenerType }));
    expect(Array.from(server.connections, ({ id }) => id)).toEqual(["a-1", "b-2"]);
    one.client.cancel();
    expect(Array.from(server.connections, ({ id }) => id)).toEqual(["b-2"]);
    other.client.disconnect();
    expect(gone).toEqual(["a-1 of 2", "b-2 of 1"]);
    expect(observer.told).toEqual([
      "a connected",
      "b connected",
      "a disconnected: client",
      "b was not sent CDS",
      "b disconnected: broken",
    ]);
  });

  test("that ends before its first message was never a connection", () => {
    const gone: string[] = [];
    const { client } = open(serverWith({ onGone: ({ id }) => gone.push(id) }));
    client.cancel();
    expect([gone, observer.told]).toEqual([[], []]);
  });

  test("reports when all sent bytes have left, and nothing before its first message", async () => {
    const flushed: string[] = [];
    const { client, stream } = open(serverWith({ onFlushed: ({ id }) => flushed.push(id) }));
    stream.send(Uint8Array.of(1), []);
    await Promise.resolve();
    expect(flushed).toEqual([]);
    client.send(sotw({ node, typeUrl: clusterType }));
    await Promise.resolve();
    expect(flushed).toEqual(["a-1"]);
  });
});

describe("admission", () => {
  test("refuses a stream with a status, a reason, and a retry time", () => {
    const { ends } = open(serverWith({ admit: () => turnedAway }));
    expect(ends).toEqual([[GrpcStatus.UNAVAILABLE, "full", { retryAfterMs: 500 }]]);
    expect(observer.refusals).toEqual(["full"]);
  });

  test("may be slow: the client waits and then gets its answer", async () => {
    const server = serverWith({ admit: () => Promise.resolve(admitted) });
    const { client } = open(server);
    client.send(sotw({ node, typeUrl: clusterType }));
    expect(client.received).toHaveLength(0);
    await Promise.resolve();
    expect([client.received.length, server.connections.size]).toEqual([1, 1]);
  });

  test("may refuse late", async () => {
    const { client } = open(serverWith({ admit: () => Promise.resolve(turnedAway) }));
    await Promise.resolve();
    expect(client.status).toEqual({ code: GrpcStatus.UNAVAILABLE, message: "full" });
  });

  test("that fails ends the stream, and is reported", async () => {
    const { ends } = open(serverWith({ admit: () => Promise.reject(new Error("planted")) }));
    await Promise.resolve();
    await Promise.resolve();
    expect(ends).toEqual([[GrpcStatus.INTERNAL, "internal error"]]);
    expect(observer.told).toEqual([" failed: planted"]);
  });
});

describe("a message", () => {
  test("without a node cannot be the first one, if admission needs a node", () => {
    const server = serverWith();
    const { client, ends } = open(server);
    client.send(sotw({ typeUrl: clusterType }));
    expect(ends).toEqual([[GrpcStatus.UNAUTHENTICATED, "who are you?", {}]]);
    expect([server.connections.size, observer.refusals]).toEqual([0, ["who are you?"]]);
  });

  test("of another node is refused", () => {
    const { client } = open(serverWith());
    client.send(sotw({ node, typeUrl: clusterType }));
    client.send(sotw({ node: { id: "b" }, typeUrl: clusterType }));
    const message = 'the node changed from "a" to "b": a stream belongs to one node';
    expect(client.status).toEqual({ code: GrpcStatus.INVALID_ARGUMENT, message });
  });

  test("without a type is refused on an aggregated stream", () => {
    const { client } = open(serverWith());
    client.send(sotw({ node }));
    const message = "missing type URL: an aggregated stream does not know it otherwise";
    expect(client.status).toEqual({ code: GrpcStatus.INVALID_ARGUMENT, message });
  });

  test.each([
    ["sotw", sotw],
    ["delta", delta],
  ] as const)("may omit the only type of its stream or name it in v2, and no other type: %s", (mode, encode) => {
    const server = serverWith();
    const { client } = open(server, { mode, only: clusterType });
    client.send(encode({ node }));
    client.send(encode({ typeUrl: "type.googleapis.com/envoy.api.v2.Cluster" }));
    expect([client.received.length, client.status]).toEqual([1, undefined]);
    client.send(encode({ typeUrl: listenerType }));
    const message = `type URL "${listenerType}": this stream is for ${clusterType} alone`;
    expect(client.status).toEqual({ code: GrpcStatus.INVALID_ARGUMENT, message });
  });

  test("that is unreadable ends its stream as a client error", () => {
    const { client } = open(serverWith());
    client.send(Uint8Array.of(0xff));
    expect(client.status).toEqual({ code: GrpcStatus.INVALID_ARGUMENT, message: "truncated message" });
    expect([observer.refusals, observer.told]).toEqual([["truncated message"], []]);
  });

  test("that hits a bug ends its stream, and is reported with the node", () => {
    const { client } = open(serverWith({ source: { types: source.types, lease: failing } }));
    client.send(sotw({ node, typeUrl: clusterType }));
    expect(client.status).toEqual({ code: GrpcStatus.INTERNAL, message: "internal error" });
    expect(observer.told).toContain("a failed: planted");
  });
});

describe("a debug request", () => {
  const questions: OutOfBandRequest<Client>[] = [];
  let server: XdsServer<Client>;

  beforeEach(() => {
    questions.length = 0;
    server = serverWith({
      outOfBand: { handles: (typeUrl) => typeUrl === "debug", answer: (question) => void questions.push(question) },
    });
  });

  test.each([
    ["sotw", sotw({ node, typeUrl: "debug", resourceNames: ["x", "y"], responseNonce: "7" })],
    ["delta", delta({ node, typeUrl: "debug", resourceNamesSubscribe: ["x", "y"], responseNonce: "7" })],
  ] as const)("is answered beside the subscriptions, %s", (mode, bytes) => {
    const { client, stream } = open(server, { mode });
    client.send(bytes);
    const asked = { client: { nodeId: "a" }, mode, typeUrl: "debug", nonce: "7", names: ["x", "y"], error: undefined };
    expect(questions).toEqual([{ ...asked, stream }]);
    expect([observer.unknownTypes, client.received]).toEqual([[], []]);
  });

  test("may reject an answer", () => {
    const { client } = open(server);
    client.send(sotw({ node, typeUrl: "debug", errorDetail: { code: 3, message: "no" } }));
    expect(questions.map(({ error }) => error)).toEqual(["no"]);
  });

  test("without a node is dropped before the first discovery request, and the client may still identify itself", () => {
    const { client } = open(server);
    client.send(sotw({ typeUrl: "debug" }));
    expect([questions, client.status]).toEqual([[], undefined]);
    client.send(sotw({ node, typeUrl: clusterType }));
    client.send(sotw({ typeUrl: "debug" }));
    expect([questions.length, client.received.length]).toEqual([1, 1]);
  });
});

describe("a stream for another server", () => {
  const nodeBytes = toBinary(NodeSchema, create(NodeSchema, node));

  test.each([
    ["sotw", sotw],
    ["delta", delta],
  ] as const)("is handed over by the node of its first message, %s", (mode, encode) => {
    const nodes: Buffer[] = [];
    const kinds: StreamKind[] = [];
    const server = serverWith({
      otherServer: (bytes) => {
        nodes.push(Buffer.from(bytes));
        return (stream, kind) => {
          kinds.push(kind);
          stream.end(GrpcStatus.OK, "served elsewhere");
        };
      },
    });
    const { client } = open(server, { mode, only: clusterType });
    client.send(encode({ node, typeUrl: clusterType }));
    expect([nodes, kinds]).toEqual([[Buffer.from(nodeBytes)], [{ mode, only: clusterType }]]);
    expect([client.status?.message, server.connections.size]).toEqual(["served elsewhere", 0]);
  });

  test("stays when its first message has no node", () => {
    let asked = 0;
    const server = serverWith({
      otherServer: () => {
        asked++;
        return undefined;
      },
    });
    open(server).client.send(sotw({ typeUrl: clusterType }));
    expect([asked, observer.refusals]).toEqual([0, ["who are you?"]]);
  });

  test("may fail to find its server: a bug is not reported as a bad message", () => {
    const { client } = open(serverWith({ otherServer: failing }));
    expect(() => client.send(sotw({ node, typeUrl: clusterType }))).toThrow("planted");
  });
});

function failing(): never {
  throw new Error("planted");
}
