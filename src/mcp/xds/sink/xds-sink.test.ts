import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DiscoveryRequestSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { GrpcStatus } from "../../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { travelling } from "../../../testing/mcp/mcp-object.ts";
import { RecordingSink } from "../../../testing/mcp/mcp-observers.ts";
import { gateways, serviceEntries } from "../../../testing/mcp/mcp-source-rig.ts";
import { envelope, resource, XdsSinkRig } from "../../../testing/mcp-over-xds/xds-sink-rig.ts";
import { type StreamEnd, streamPair } from "../../../testing/stream/stream-pair.ts";
import type { SinkChange } from "../../sink/sink-updater.ts";
import { XdsSink, type XdsSinkOptions } from "./xds-sink.ts";

const typeUrl = "networking.istio.io/v1/Gateway";
const named = (name: string, content = "1", version = content) => ({
  name,
  version,
  resource: resource(gateways, name, content),
});
const broken = { typeUrl: envelope, value: Uint8Array.of(0xff) };

/** A sink of Gateways in SotW, and a server in the test's hands. */
function rig(more: Partial<XdsSinkOptions> = {}) {
  const [changes, observer, clock]: [SinkChange[], RecordingSink, FakeClock] = [
    [],
    new RecordingSink(),
    new FakeClock(),
  ];
  const sink = new XdsSink({
    mode: "sotw",
    node: { id: "node", metadata: {} },
    collections: [travelling(gateways)],
    apply: (change) => {
      changes.push(change);
      return [];
    },
    observer,
    clock,
    random: () => 0.5,
    resyncMs: 0,
    sourceName: "xds://test",
    takesSynthetic: false,
    revision: undefined,
    ...more,
  });
  const connect = () => {
    const { server, client } = streamPair();
    sink.attach(server);
    const requests = () => client.received.map((bytes) => fromBinary(DiscoveryRequestSchema, bytes));
    const respond = (init: {
      nonce: string;
      versionInfo?: string;
      resources?: { typeUrl: string; value: Uint8Array }[];
    }) => client.send(toBinary(DiscoveryResponseSchema, create(DiscoveryResponseSchema, { typeUrl, ...init })));
    return { client, requests, respond, status: (): StreamEnd | undefined => client.status };
  };
  return { sink, changes, observer, clock, connect };
}

const a = () => resource(gateways, "shop/a");

describe("a sink of xDS", () => {
  test("reports every stream and every response with its size to its observer", () => {
    const { connect, observer } = rig();
    connect().client.disconnect();
    connect().respond({ nonce: "n", versionInfo: "v", resources: [a()] });
    expect(observer.attachments).toEqual([1, 2].map((id) => ({ id, peer: "in-memory", identity: "" })));
    expect(observer.receipts).toEqual([
      {
        id: 2,
        peer: "in-memory",
        identity: "",
        collection: gateways,
        version: "v",
        nonce: "n",
        incremental: false,
        resources: 1,
        removed: 0,
        bytes: expect.any(Number),
      },
    ]);
  });

  test("sends the last accepted version, and none before", () => {
    const { connect } = rig();
    const first = connect();
    expect(first.requests()).toMatchObject([{ versionInfo: "", responseNonce: "" }]);
    first.respond({ nonce: "1", resources: [broken] });
    expect(first.requests().at(-1)).toMatchObject({ versionInfo: "", responseNonce: "1", errorDetail: { code: 3 } });
    first.respond({ nonce: "2", versionInfo: "v2", resources: [a()] });
    expect(connect().requests()[0]).toMatchObject({ versionInfo: "v2" });
  });

  test("gives a reason for each rejection, also to its observer", () => {
    const { connect, observer } = rig();
    const server = connect();
    server.respond({ nonce: "1", resources: [broken, resource(serviceEntries, "shop/x")] });
    const reason = "(no name): no envelope of a resource; shop/x: expected";
    expect(server.requests().at(-1)?.errorDetail?.message).toContain(reason);
    expect(observer.nacks).toMatchObject([{ nonce: "1", code: 3, rejected: [{ name: "" }, { name: "shop/x" }] }]);
  });

  test("ends a stream with an invalid response", () => {
    const server = rig().connect();
    server.client.send(Uint8Array.of(0xff));
    expect(server.status()).toEqual({ code: GrpcStatus.INVALID_ARGUMENT, message: "this is no response" });
  });

  test("refuses a response over the limit with the last accepted version, and ends the stream", () => {
    const { connect, observer } = rig({ limits: { objects: 1 } });
    const server = connect();
    server.respond({ nonce: "1", versionInfo: "v1", resources: [a()] });
    server.respond({ nonce: "2", versionInfo: "v2", resources: [a(), resource(gateways, "shop/b")] });
    expect(server.requests().at(-1)).toMatchObject({
      versionInfo: "v1",
      responseNonce: "2",
      errorDetail: { code: GrpcStatus.RESOURCE_EXHAUSTED },
    });
    expect([server.status()?.code, observer.nacks.length]).toEqual([GrpcStatus.OK, 1]);
  });

  test("reports everything again after its owner threw at a change", () => {
    let throws = true;
    const seen: SinkChange[] = [];
    const { connect } = rig({
      apply: (change) => {
        if (throws) throw new Error("the disk is full");
        seen.push(change);
        return [];
      },
    });
    const server = connect();
    expect(() => server.respond({ nonce: "1", resources: [a()] })).toThrow("the disk is full");
    throws = false;
    server.respond({ nonce: "2", resources: [a()] });
    expect(seen).toMatchObject([{ incremental: false, objects: [{ name: "a" }] }]);
  });

  test("sends no resync if disabled, and none without a stream", () => {
    const { sink, connect, clock } = rig();
    sink.detach();
    const server = connect();
    clock.advance(3_600_000);
    expect([server.requests().length, clock.pending]).toEqual([1, 0]);
    sink.detach();
    sink.detach();
    expect(server.status()?.code).toBe(GrpcStatus.OK);
  });
});

/** A sink of deltas that holds a and b, and has a new stream. */
async function comeBack(): Promise<XdsSinkRig> {
  const held = await XdsSinkRig.start("delta", [gateways]);
  held.respondDelta({ typeUrl, nonce: "1", resources: [named("shop/a"), named("shop/b", "1", "")] });
  held.wire.cut();
  held.clock.advance(500);
  held.requests();
  return held;
}
const namesOf = ({ heard }: XdsSinkRig) => Array.from(heard.state.values(), ({ name }) => name).toSorted();

describe("a delta sink that reconnects", () => {
  test("treats the first answer as full state if one of its resources is repeated", async () => {
    const held = await comeBack();
    held.respondDelta({ typeUrl, nonce: "1", resources: [named("shop/c"), named("shop/a")] });
    expect(namesOf(held)).toEqual(["a", "c"]);
  });

  test("treats no later answer as full state", async () => {
    const held = await comeBack();
    held.respondDelta({ typeUrl, nonce: "1", resources: [named("shop/c")] });
    held.respondDelta({ typeUrl, nonce: "2", resources: [named("shop/a")] });
    expect(namesOf(held)).toEqual(["a", "b", "c"]);
  });

  test("ignores a repeated resource without a version", async () => {
    const held = await comeBack();
    held.respondDelta({ typeUrl, nonce: "1", resources: [named("shop/b", "1", "")] });
    expect(namesOf(held)).toEqual(["a", "b"]);
  });

  test("announces its held versions after any end except resource exhaustion", async () => {
    const held = await comeBack();
    held.wire.source.end(GrpcStatus.UNAVAILABLE);
    held.clock.advance(800);
    expect(Object.keys(held.requests()[0]?.initialResourceVersions ?? {})).toEqual(["shop/a", "shop/b"]);
  });

  test("announces nothing once, and treats the next answer as full state", async () => {
    const held = await comeBack();
    held.wire.source.end(GrpcStatus.RESOURCE_EXHAUSTED);
    held.clock.advance(800);
    expect(held.requests()[0]?.initialResourceVersions).toEqual({});
    held.respondDelta({ typeUrl, nonce: "1", resources: [named("shop/c")] });
    expect(namesOf(held)).toEqual(["c"]);
    held.wire.source.end(GrpcStatus.RESOURCE_EXHAUSTED);
    held.clock.advance(500);
    expect(Object.keys(held.requests().at(-1)?.initialResourceVersions ?? {})).toEqual(["shop/c"]);
  });
});
