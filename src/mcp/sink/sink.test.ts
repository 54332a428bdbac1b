import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { travelling } from "../../testing/mcp/mcp-object.ts";
import { RecordingSink } from "../../testing/mcp/mcp-observers.ts";
import { describeRequest, RawSource, resourcesOf } from "../../testing/mcp/mcp-raw-source.ts";
import { gateways, rules } from "../../testing/mcp/mcp-source-rig.ts";
import { McpStore } from "../../testing/mcp/mcp-store.ts";
import { McpWire } from "../../testing/mcp/mcp-wire.ts";
import { Sink, type SinkOptions } from "./sink.ts";

function rig(incremental: readonly string[] = [], more: Partial<SinkOptions> = {}) {
  const store = new McpStore();
  const observer = new RecordingSink();
  const sink = new Sink({
    sourceName: "mcp://galley",
    node: { id: "test-node", annotations: { foo: "bar" } },
    collections: [gateways, rules].map((name) => ({
      collection: travelling(name),
      incremental: incremental.includes(name),
    })),
    updater: store,
    clock: new FakeClock(),
    observer,
    ...more,
  });
  return { sink, store, observer };
}

describe("a new stream", () => {
  test("sends one subscription per collection before it reads anything, sorted, with its node", () => {
    const { sink } = rig();
    const source = new RawSource(sink);
    expect(source.requests.map(describeRequest)).toEqual(["destinationrules subscribes", "gateways subscribes"]);
    expect(source.requests[0]).toMatchObject({
      sinkNode: { id: "test-node", annotations: { foo: "bar" } },
      initialResourceVersions: {},
    });
  });

  test("announces the held versions of incremental collections", () => {
    const { sink } = rig([gateways]);
    const first = new RawSource(sink);
    first.full(gateways, { "shop/a": "1" });
    first.full(rules, { "shop/x": "1" });
    first.stream.disconnect();
    expect(sink.attached).toBe(false);
    const second = new RawSource(sink);
    const versions = Object.fromEntries(sink.versions(gateways));
    expect(Object.keys(versions)).toEqual(["shop/a"]);
    expect(second.requests.map(({ initialResourceVersions }) => initialResourceVersions)).toEqual([{}, versions]);
    expect(second.requests.map(describeRequest)).toEqual(["destinationrules subscribes", "gateways subscribes delta"]);
    second.full(gateways, { "shop/a": "1" });
    expect(second.requests.at(-1)?.initialResourceVersions).toEqual({});
  });

  test("announces nothing after the updater threw, until a full state is accepted", () => {
    const { sink, store } = rig([gateways]);
    const first = new RawSource(sink);
    first.full(gateways, { "shop/a": "0" });
    store.judge = () => {
      throw new Error("half-way");
    };
    first.delta(gateways, { "shop/a": "1" });
    store.judge = () => undefined;
    const second = new RawSource(sink);
    expect(second.requests[1]?.initialResourceVersions).toEqual({});
    second.full(gateways, { "shop/a": "1" });
    expect(new RawSource(sink).requests[1]?.initialResourceVersions).not.toEqual({});
  });

  test("requests full states after the updater threw, until one is accepted without a rejected resource", () => {
    const { sink, store } = rig([gateways]);
    const source = new RawSource(sink);
    source.full(gateways, { "shop/a": "0", "shop/b": "0" });
    store.judge = () => {
      throw new Error("half-way");
    };
    source.delta(gateways, { "shop/a": "1" });
    store.judge = () => undefined;
    // The store keeps its last good version, and the sink does not know which one that is.
    store.refuse = ({ annotations }) => annotations["content"] === "2";
    source.full(gateways, { "shop/a": "2", "shop/b": "0" });
    source.full(gateways, { "shop/a": "2", "shop/b": "1" });
    expect(source.requests.slice(-2).map(({ incremental }) => incremental)).toEqual([false, false]);
    expect(new RawSource(sink).requests[1]?.initialResourceVersions).toEqual({});
    const last = new RawSource(sink);
    last.full(gateways, { "shop/a": "3", "shop/b": "1" });
    expect(last.requests.at(-1)?.incremental).toBe(true);
  });

  test("announces nothing after a source ended the stream with RESOURCE_EXHAUSTED", () => {
    const { sink } = rig([gateways]);
    const first = new RawSource(sink);
    first.full(gateways, { "shop/a": "1" });
    first.stream.disconnect();
    const refusing = new McpWire();
    sink.attach(refusing.sink);
    refusing.source.end(GrpcStatus.RESOURCE_EXHAUSTED);
    const third = new RawSource(sink);
    expect(third.requests.map(({ initialResourceVersions }) => initialResourceVersions)).toEqual([{}, {}]);
    third.stream.disconnect();
    expect(new RawSource(sink).requests[1]?.initialResourceVersions).not.toEqual({});
  });

  test("ends the previous one: the newest source counts, and the old one is ignored", () => {
    const { sink, store } = rig();
    const old = new RawSource(sink);
    const young = new RawSource(sink);
    expect(old.status?.code).toBe(GrpcStatus.ABORTED);
    old.full(gateways, { "shop/old": "1" });
    young.full(gateways, { "shop/young": "1" });
    expect(store.contents(gateways)).toEqual({ "shop/young": "1" });
    expect(sink.attached).toBe(true);
  });
});

describe("a push", () => {
  test("is applied and acknowledged, message by message", () => {
    const { sink, store, observer } = rig();
    const source = new RawSource(sink);
    const states: readonly Readonly<Record<string, string>>[] = [
      { "shop/a": "0" },
      { "shop/a": "1" },
      { "shop/a": "1", "shop/b": "0" },
      {},
      { "shop/b": "2", "shop/c": "0" },
    ];
    for (const [index, state] of states.entries()) {
      source.full(gateways, state);
      expect(store.contents(gateways)).toEqual(state);
      expect(source.answer).toBe(`gateways ${index + 1} ack`);
    }
    expect(source.requests).toHaveLength(2 + states.length);
    expect(sink.journal).toHaveLength(2 + states.length);
    expect(observer.acks.map(({ version }) => version)).toEqual(["v1", "v2", "v3", "v4", "v5"]);
  });

  test("with full state removes all other objects, even if it is empty", () => {
    const { sink, store } = rig();
    const source = new RawSource(sink);
    source.full(gateways, { "shop/a": "0", "shop/b": "0" });
    source.full(gateways, {});
    expect(store.contents(gateways)).toEqual({});
    expect(sink.versions(gateways).size).toBe(0);
  });

  test("with a delta keeps the other objects, and applies removals first", () => {
    const { sink, store } = rig([gateways]);
    const source = new RawSource(sink);
    source.full(gateways, { "shop/a": "0", "shop/b": "0" });
    source.delta(gateways, { "shop/a": "1", "shop/c": "0" }, ["shop/b", "shop/a", "shop/unheard"]);
    expect(store.contents(gateways)).toEqual({ "shop/a": "1", "shop/c": "0" });
    expect([...sink.versions(gateways).keys()].toSorted()).toEqual(["shop/a", "shop/c"]);
    expect(source.answer).toBe("gateways 2 ack delta");
  });

  test("with full state ignores removals: a removed name among its resources is kept", () => {
    const { sink, store } = rig();
    const source = new RawSource(sink);
    source.push({
      collection: gateways,
      resources: resourcesOf(gateways, { "shop/a": "0" }),
      removedResources: ["shop/a"],
    });
    expect(store.contents(gateways)).toEqual({ "shop/a": "0" });
  });

  test("with a duplicate name uses the last resource", () => {
    const { sink, store } = rig();
    const source = new RawSource(sink);
    const resources = [{ "shop/a": "0" }, { "shop/a": "1" }].flatMap((objects) => resourcesOf(gateways, objects));
    source.push({ collection: gateways, resources });
    expect(store.contents(gateways)).toEqual({ "shop/a": "1" });
  });

  test("without a nonce is answered with an empty one", () => {
    const { sink } = rig();
    const source = new RawSource(sink);
    source.push({ collection: gateways, nonce: "" });
    expect(source.answer).toBe("gateways subscribes");
  });
});

describe("a NACK", () => {
  test("is for a collection without a subscription, with code 12", () => {
    const { sink, store, observer } = rig([gateways]);
    const source = new RawSource(sink);
    source.push({ collection: "istio/unheard/of" });
    expect(source.answer).toBe("of 1 nack 12");
    expect(store.changes).toEqual([]);
    expect(observer.nacks).toMatchObject([{ code: 12, message: "unsupported collection istio/unheard/of" }]);
  });

  test("is for the trigger of a source that dialled, with the same code and no nonce", () => {
    const { sink } = rig();
    const source = new RawSource(sink);
    source.push({ collection: "$triggerCollection", nonce: "" });
    expect(source.requests.at(-1)).toMatchObject({
      collection: "$triggerCollection",
      responseNonce: "",
      errorDetail: { code: 12 },
    });
  });

  test("is for a message at which the updater throws, with code 3: nothing counts, and the next push must be full", () => {
    const { sink, store } = rig([gateways]);
    const source = new RawSource(sink);
    source.full(gateways, { "shop/a": "0" });
    store.judge = () => {
      throw new Error("the disk is full");
    };
    source.delta(gateways, { "shop/b": "0" });
    expect(source.answer).toBe("gateways 2 nack 3");
    expect(source.requests.at(-1)?.errorDetail?.message).toBe("the disk is full");
    expect([...sink.versions(gateways).keys()]).toEqual(["shop/a"]);
    store.judge = () => undefined;
    source.full(gateways, { "shop/a": "0", "shop/b": "0" });
    expect(source.answer).toBe("gateways 3 ack delta");
  });

  test("is for a whole message with an unreadable resource, with code 2, if configured", () => {
    const { sink, store } = rig([], { unreadable: "reject-message" });
    const source = new RawSource(sink);
    source.full(gateways, { "shop/a": "0" });
    source.push({
      collection: gateways,
      resources: [...resourcesOf(gateways, { "shop/b": "0" }), ...resourcesOf(rules, { "shop/x": "0" })],
    });
    expect(source.answer).toBe("gateways 2 nack 2");
    expect(store.contents(gateways)).toEqual({ "shop/a": "0" });
    source.full(gateways, { "shop/b": "0" });
    expect(source.answer).toBe("gateways 3 ack");
  });

  test("is otherwise for that resource alone: the others are applied, and its last good version stays", () => {
    const { sink, store, observer } = rig([gateways]);
    const source = new RawSource(sink);
    source.full(gateways, { "shop/a": "0", "shop/b": "0", "shop/c": "0" });
    const held = sink.versions(gateways).get("shop/a");
    const [broken] = resourcesOf(rules, { "shop/a": "1" });
    source.push({
      collection: gateways,
      resources: [...(broken ? [broken] : []), ...resourcesOf(gateways, { "shop/b": "1" })],
    });
    expect(store.contents(gateways)).toEqual({ "shop/a": "0", "shop/b": "1" });
    expect(sink.versions(gateways).get("shop/a")).toBe(held);
    // It builds on the rest: differences may go on.
    expect(source.answer).toBe("gateways 2 nack 3 delta");
    expect(observer.nacks).toMatchObject([{ rejected: [{ name: "shop/a" }] }]);
    const [detail] = source.requests.at(-1)?.errorDetail?.details ?? [];
    expect(detail?.typeUrl).toBe("type.googleapis.com/binnacle.mcp.v1.Rejection");
  });

  test("is also for objects that the updater rejects", () => {
    const { sink, store } = rig([gateways]);
    const source = new RawSource(sink);
    store.refuse = ({ annotations }) => annotations["content"] === "bad";
    source.full(gateways, { "shop/a": "0", "shop/b": "bad" });
    expect(source.answer).toBe("gateways 1 nack 3 delta");
    expect(store.contents(gateways)).toEqual({ "shop/a": "0" });
    expect([...sink.versions(gateways).keys()]).toEqual(["shop/a"]);
    expect(source.requests.at(-1)?.errorDetail?.message).toBe("shop/b: refused");
  });

  test("names a readable number of resources, and counts the others", () => {
    const { sink, store } = rig();
    const source = new RawSource(sink);
    store.refuse = () => true;
    source.full(gateways, { "shop/a": "0", "shop/b": "0", "shop/c": "0", "shop/d": "0", "shop/e": "0" });
    expect(source.requests.at(-1)?.errorDetail?.message).toBe(
      "shop/a: refused; shop/b: refused; shop/c: refused; and 2 more",
    );
  });

  test("ends the stream if the message is invalid", () => {
    const { sink } = rig();
    const source = new RawSource(sink);
    source.stream.send(Uint8Array.of(0xff));
    expect(source.status?.code).toBe(GrpcStatus.INVALID_ARGUMENT);
  });
});

test("a message with more resources than the limit is not decoded, and ends the stream", () => {
  const { sink, store } = rig();
  const source = new RawSource(sink);
  source.full(gateways, { "shop/a": "1" });
  source.stream.send(Buffer.from("1a00".repeat(250_001), "hex"));
  expect(source.status).toEqual({ code: GrpcStatus.RESOURCE_EXHAUSTED, message: "more than 250000 resources" });
  expect([sink.attached, store.contents(gateways)]).toEqual([false, { "shop/a": "1" }]);
});

describe("the end of a stream", () => {
  test("loses an ACK, not the applied state: the next stream announces it", () => {
    const { sink, store } = rig([gateways]);
    const source = new RawSource(sink);
    source.stream.stall();
    source.full(gateways, { "shop/a": "0" });
    source.stream.disconnect();
    expect(store.contents(gateways)).toEqual({ "shop/a": "0" });
    const [, subscription] = new RawSource(sink).requests;
    expect(Object.keys(subscription?.initialResourceVersions ?? {})).toEqual(["shop/a"]);
  });

  test("is reported, whichever side ends it", () => {
    const { sink, observer } = rig();
    new RawSource(sink).stream.close();
    new RawSource(sink).stream.disconnect();
    const left = new RawSource(sink);
    sink.detach();
    expect(left.status?.code).toBe(GrpcStatus.OK);
    expect(observer.reasons.map(({ type }) => type)).toEqual(["client", "broken", "server"]);
    expect(sink.attached).toBe(false);
  });
});

test("a sink knows which collections have an answer, even an empty one, and how much it holds", () => {
  const { sink } = rig();
  expect(sink.answered).toEqual(new Set());
  const source = new RawSource(sink);
  source.full(gateways, {});
  source.full(gateways, { "shop/a": "0" });
  expect(sink.answered).toEqual(new Set([gateways]));
  expect(sink.status).toEqual([
    { collection: rules, systemVersion: undefined, certain: true, resources: 0 },
    { collection: gateways, systemVersion: "v2", certain: true, resources: 1 },
  ]);
  expect(sink.versions("istio/unheard/of").size).toBe(0);
});

test("the journal of a sink omits the held versions", () => {
  const { sink } = rig([gateways]);
  const source = new RawSource(sink);
  source.full(gateways, { "shop/a": "0" });
  source.push({ collection: "istio/unheard/of" });
  expect(sink.journal.map(({ collection, nonce, error }) => [collection, nonce, error?.code])).toEqual([
    [rules, "", undefined],
    [gateways, "", undefined],
    [gateways, "1", undefined],
    ["istio/unheard/of", "2", 12],
  ]);
});
