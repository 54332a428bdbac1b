import { describe, expect, test } from "vitest";
import { GrpcStatus, type GrpcStream, type GrpcStreamHandler } from "../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { travelling } from "../../testing/mcp/mcp-object.ts";
import { RecordingSink } from "../../testing/mcp/mcp-observers.ts";
import { RawSource, resourcesOf } from "../../testing/mcp/mcp-raw-source.ts";
import { gateways } from "../../testing/mcp/mcp-source-rig.ts";
import { McpStore } from "../../testing/mcp/mcp-store.ts";
import { McpWire } from "../../testing/mcp/mcp-wire.ts";
import { Sink, type SinkOptions } from "./sink.ts";
import { sinkLimits } from "./sink-limits.ts";

function rig(more: Partial<SinkOptions> = {}) {
  const [store, observer] = [new McpStore(), new RecordingSink()];
  const sink = new Sink({
    sourceName: "mcp://galley",
    node: { id: "test-node", annotations: {} },
    collections: [{ collection: travelling(gateways), incremental: true }],
    updater: store,
    clock: new FakeClock(),
    observer,
    ...more,
  });
  return { sink, store, observer };
}

/** The versions that a new stream announces to the source. */
const announced = (sink: Sink) => Object.keys(new RawSource(sink).requests[0]?.initialResourceVersions ?? {});

describe("a sink tells its observer", () => {
  test("about every stream, counted from 1, and every push with its size", () => {
    const { sink, observer } = rig();
    new RawSource(sink).stream.disconnect();
    const source = new RawSource(sink);
    expect(observer.attachments).toEqual([1, 2].map((id) => ({ id, peer: "in-memory", identity: "" })));
    source.full(gateways, { "shop/a": "0" });
    source.delta(gateways, {}, ["shop/a"]);
    const facts = { id: 2, peer: "in-memory", identity: "", collection: gateways, bytes: expect.any(Number) };
    expect(observer.receipts).toEqual([
      { ...facts, version: "v1", nonce: "1", incremental: false, resources: 1, removed: 0 },
      { ...facts, version: "v2", nonce: "2", incremental: true, resources: 0, removed: 1 },
    ]);
  });
});

describe("a new stream announces the held versions", () => {
  test("after a source that received the announcement, answered, and then was exhausted", () => {
    const { sink } = rig();
    const wire = new RawSource(sink);
    wire.full(gateways, { "shop/a": "0" });
    wire.stream.disconnect();
    const second = new McpWire();
    sink.attach(second.sink);
    second.source.send(new Uint8Array(), []);
    second.settle();
    second.source.end(GrpcStatus.RESOURCE_EXHAUSTED);
    expect(announced(sink)).toEqual(["shop/a"]);
  });

  test("after a source that ended the stream with another status", () => {
    const { sink } = rig();
    new RawSource(sink).full(gateways, { "shop/a": "0" });
    const second = new McpWire();
    sink.attach(second.sink);
    second.source.end(GrpcStatus.UNAVAILABLE);
    expect(announced(sink)).toEqual(["shop/a"]);
  });

  test("except after a message over a limit, because the held state is uncertain then", () => {
    const { sink } = rig({ limits: { objects: 1 } });
    const source = new RawSource(sink);
    source.full(gateways, { "shop/a": "0" });
    source.delta(gateways, { "shop/b": "0" });
    expect(source.answer).toBe("gateways 2 nack 8");
    expect(announced(sink)).toEqual([]);
  });
});

describe("a stream", () => {
  test("that is replaced ends with the reason, and is ignored from then on", () => {
    const { sink, store } = rig();
    let handler: GrpcStreamHandler | undefined;
    const ends: unknown[] = [];
    const old: GrpcStream = {
      peer: { address: "old" },
      closed: false,
      queued: 0,
      attach: (given) => void (handler = given),
      send: () => undefined,
      end: (code, message) => ends.push(code, message),
    };
    sink.attach(old);
    const young = new RawSource(sink);
    expect(young.requests).toHaveLength(1);
    expect(ends).toEqual([GrpcStatus.ABORTED, "a newer source has connected"]);
    handler?.onMessage(new Uint8Array());
    expect(store.changes).toEqual([]);
    handler?.onClose({ type: "client" });
    expect(sink.attached).toBe(true);
  });

  test("ends with an invalid message, and reports the reason", () => {
    const source = new RawSource(rig().sink);
    source.stream.send(Uint8Array.of(0xff));
    expect(source.status).toEqual({ code: GrpcStatus.INVALID_ARGUMENT, message: "this is no Resources" });
  });

  test("accepts a message with as many fields as the limit", () => {
    const source = new RawSource(rig().sink);
    source.stream.send(Buffer.from("0a00".repeat(250_000), "hex"));
    expect(source.status).toBeUndefined();
    expect(source.requests.at(-1)?.errorDetail?.code).toBe(GrpcStatus.UNIMPLEMENTED);
  });

  test("that begins with a trigger receives the NACK for an unknown collection", () => {
    const source = new RawSource(rig().sink);
    source.push({ collection: "$triggerCollection", nonce: "" });
    expect(source.requests.at(-1)).toMatchObject({
      incremental: false,
      errorDetail: { message: "unsupported collection $triggerCollection" },
    });
  });
});

describe("an answer", () => {
  test("is an ACK if the updater returns nothing", () => {
    const { sink } = rig({ updater: { apply: () => undefined } });
    const source = new RawSource(sink);
    source.full(gateways, { "shop/a": "0" });
    expect(source.answer).toBe("gateways 1 ack delta");
  });

  test("names three rejected resources, counts the fourth, and marks missing names", () => {
    const { sink, store } = rig();
    const source = new RawSource(sink);
    store.refuse = () => true;
    const objects = { "shop/a": "0", "shop/b": "0", "shop/c": "0" };
    source.push({ collection: gateways, resources: [{}, ...resourcesOf(gateways, objects)] });
    expect(source.requests.at(-1)?.errorDetail?.message).toBe(
      "(no name): there is no metadata; shop/a: refused; shop/b: refused; and 1 more",
    );
  });
});

test("a collection of a peer has at most 500 000 objects and 512 MiB", () => {
  expect([sinkLimits.objects.most, sinkLimits.bytes.most]).toEqual([500_000, 512 * 1024 * 1024]);
});
