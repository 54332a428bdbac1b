import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { RequestResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { RawSink } from "../../testing/mcp/mcp-raw-sink.ts";
import { gateways, rules, serviceEntries, sourceRig } from "../../testing/mcp/mcp-source-rig.ts";
import { McpWire } from "../../testing/mcp/mcp-wire.ts";
import { defaultSourceSettings } from "./source-settings.ts";

/** How many pushes leave while so many bytes are queued. */
function pushed(queued: number): number {
  const { source, publish, observer } = sourceRig();
  publish({ a: "0" });
  const wire = new McpWire();
  Object.defineProperty(wire.source, "queued", { get: () => queued });
  source.serve(wire.source);
  wire.sink.send(toBinary(RequestResourcesSchema, create(RequestResourcesSchema, { collection: gateways })), []);
  wire.deliver("source");
  return observer.pushes.length;
}

/** How many of the subscriptions of these sinks, one for each address, wait for a budget of one. */
function waits(identities: readonly string[] | undefined, ...addresses: readonly string[]): number {
  const { source, observer } = sourceRig({ requestsPerSecond: 1, requestBurst: 1 });
  for (const address of addresses) {
    const wire = new McpWire({ address, ...(identities && { identities }) });
    source.serve(wire.source);
    wire.sink.send(toBinary(RequestResourcesSchema, create(RequestResourcesSchema, { collection: gateways })), []);
    wire.settle();
  }
  return observer.waits;
}

describe("a source tells its observer", () => {
  test("the duration, version and error of each answer", () => {
    const { source, publish, clock, observer } = sourceRig();
    clock.advance(7);
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    clock.advance(5);
    sink.ack();
    publish({ a: "1" });
    clock.advance(3);
    sink.nack(GrpcStatus.INVALID_ARGUMENT);
    const [first, second] = sink.pushes;
    expect(observer.acks).toMatchObject([{ nonce: "1", version: first?.systemVersionInfo, ms: 5 }]);
    expect(observer.nacks).toMatchObject([
      { nonce: "2", version: second?.systemVersionInfo, ms: 3, code: 3, message: "no" },
    ]);
  });

  test("a stale answer, without a version and a duration", () => {
    const { source, publish, observer } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    sink.ack();
    sink.ack();
    expect(observer.stales).toMatchObject([{ collection: gateways, nonce: "1", version: "", ms: 0 }]);
    expect([sink.status, observer.failures]).toEqual([undefined, []]);
  });

  test("whether a push is a delta", () => {
    const { source, publish, observer } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways, { incremental: true });
    sink.ack({ incremental: true });
    publish({ a: undefined });
    expect(observer.pushes).toMatchObject([
      { nonce: "1", incremental: false, resources: 1, removed: 0 },
      { nonce: "2", incremental: true, resources: 0, removed: 1 },
    ]);
  });

  test("the time that an answer is overdue, since its own push", () => {
    const { source, publish, clock, observer } = sourceRig({ ackResetMs: 30_000 });
    clock.advance(7);
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    clock.advance(29_999);
    expect([observer.overdue, sink.status]).toEqual([[{ collection: gateways, ms: 10_000 }], undefined]);
    clock.advance(1);
    expect(sink.status?.message).toBe(`${gateways}: no answer for 30000 ms`);
  });
});

describe("a stream of a source", () => {
  test("may belong to a sink without a node", () => {
    const { source } = sourceRig();
    const sink = new RawSink(source);
    expect(source.status[0]?.nodeId).toBe("");
    sink.stream.send(toBinary(RequestResourcesSchema, create(RequestResourcesSchema, { collection: gateways })));
    expect([source.status[0]?.nodeId, sink.status]).toEqual(["", undefined]);
  });

  test("without a push shows the time 0", () => {
    const { source } = sourceRig();
    new RawSink(source).subscribe(gateways);
    expect(source.status[0]?.collections).toMatchObject([{ sentAt: 0, pendingNonce: undefined }]);
  });

  test("shows the unanswered nonce", () => {
    const { source, publish } = sourceRig();
    publish({ a: "0" });
    new RawSink(source).subscribe(gateways);
    expect(source.status[0]?.collections).toMatchObject([{ pendingNonce: "1" }]);
  });

  test("waits while more than 64 KiB are queued, and not before", () => {
    expect([pushed(65_536), pushed(65_537)]).toEqual([1, 0]);
  });

  test("accepts as many waiting unknown collections as there are served ones, and 64 more", () => {
    const { source } = sourceRig({ requestsPerSecond: 1, requestBurst: 1 });
    const sink = new RawSink(source);
    for (let index = 0; index <= 68; index++) sink.subscribe(`istio/unheard/${index}`);
    expect(sink.status).toBeUndefined();
    sink.subscribe("istio/unheard/of");
    expect(sink.status).toEqual({ code: GrpcStatus.RESOURCE_EXHAUSTED, message: "too many subscriptions at a time" });
  });

  test("ends with an invalid request, and reports the reason", () => {
    const sink = new RawSink(sourceRig().source);
    sink.stream.send(Uint8Array.of(0xff));
    expect(sink.status?.message).toBe("this is no RequestResources");
  });

  test("that ends while subscriptions wait leaves no timer", () => {
    const { source, clock } = sourceRig({ requestsPerSecond: 1, requestBurst: 1 });
    const sink = new RawSink(source);
    for (const collection of [gateways, rules, serviceEntries]) sink.subscribe(collection);
    expect(clock.pending).toBe(2);
    sink.stream.disconnect();
    expect(clock.pending).toBe(0);
  });
});

describe("the budget of subscriptions", () => {
  test("belongs to a machine without authentication, whatever the port", () => {
    expect(waits(undefined, "10.0.0.1:1", "10.0.0.1:22")).toBe(1);
    expect(waits(undefined, "10.0.0.1:1", "10.0.0.2:1")).toBe(0);
  });

  test("belongs to an identity, whatever the machine", () => {
    expect(waits(["spiffe://a"], "10.0.0.1:1", "10.0.0.2:1")).toBe(1);
  });
});

test("a source that stops ends its streams with a reason, and ignores later snapshots", () => {
  const { source, publish, observer } = sourceRig();
  const sink = new RawSink(source);
  source.stop();
  publish({ a: "0" });
  expect([sink.status?.message, observer.failures]).toEqual(["the source stops", []]);
});

test("by default a source answers unknown collections, allows 50 subscriptions a second and 500 at once, and retries from 1 s to 60 s", () => {
  expect(defaultSourceSettings).toMatchObject({
    unknownCollections: "empty",
    requestsPerSecond: 50,
    requestBurst: 500,
    ackWarnMs: 10_000,
    ackResetMs: undefined,
    nackRetry: { minMs: 1_000, maxMs: 60_000 },
  });
});
