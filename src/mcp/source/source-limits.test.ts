import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { RawSink } from "../../testing/mcp/mcp-raw-sink.ts";
import { gateways, rules, sourceRig } from "../../testing/mcp/mcp-source-rig.ts";

describe("a collection that is not served", () => {
  test("gets an empty answer per request, and the other collections continue", () => {
    const { source, publish, observer } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe("istio/unheard/of");
    sink.subscribe(gateways);
    expect(sink.told).toEqual(["1 full:", "2 full: a=0"]);
    expect(sink.pushes[0]).toMatchObject({ collection: "istio/unheard/of", systemVersionInfo: "0" });
    sink.say({ collection: "istio/unheard/of", responseNonce: "1" });
    sink.say({ collection: "istio/unheard/of", responseNonce: "1", errorDetail: { code: 12 } });
    publish({ a: "1" });
    expect(sink.told).toHaveLength(2);
    expect(observer.unknown).toHaveLength(3);
    expect(source.status[0]?.collections.map(({ collection }) => collection)).toEqual([gateways]);
  });

  test("ends the stream as the real Galley does, if configured", () => {
    const { source } = sourceRig({ unknownCollections: "reject" });
    const sink = new RawSink(source);
    sink.subscribe("istio/unheard/of");
    expect(sink.status).toEqual({
      code: GrpcStatus.INVALID_ARGUMENT,
      message: 'unsupported collection "istio/unheard/of"',
    });
    const nameless = new RawSink(source);
    nameless.subscribe("");
    expect(nameless.status?.message).toBe('unsupported collection ""');
  });

  test("never enters the queue, whose capacity is for served collections", () => {
    const { source } = sourceRig();
    const sink = new RawSink(source);
    for (let index = 0; index < 50; index++) sink.subscribe(`istio/unheard/${index}`);
    expect(sink.told).toHaveLength(50);
    expect(source.status[0]?.queue).toMatchObject({ max_depth: 4, queued_set: [] });
  });
});

describe("subscriptions that come too fast", () => {
  const settings = { requestsPerSecond: 10, requestBurst: 2 };

  test("wait for their identity's budget, on all its streams together", () => {
    const { source, publish, clock, observer } = sourceRig(settings);
    publish({ a: "0" });
    const one = new RawSink(source);
    const two = new RawSink(source);
    one.subscribe(gateways);
    two.subscribe(gateways);
    one.subscribe(rules);
    two.subscribe(rules);
    expect([one.told.length, two.told.length, observer.waits]).toEqual([1, 1, 2]);
    clock.advance(100);
    expect([one.told.length, two.told.length]).toEqual([2, 1]);
    clock.advance(100);
    expect([one.told.length, two.told.length]).toEqual([2, 2]);
  });

  test("delay neither pushes nor ACKs", () => {
    const { source, publish, observer } = sourceRig(settings);
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    for (let repeat = 0; repeat < 20; repeat++) sink.subscribe(rules);
    const [first] = sink.pushes;
    sink.say({ collection: gateways, responseNonce: first?.nonce ?? "" });
    publish({ a: "1" });
    expect(observer.acks.map(({ collection }) => collection)).toEqual([gateways]);
    expect(sink.last).toMatchObject({ collection: gateways });
    expect(sink.told.at(-1)).toContain("a=1");
  });

  test("to one collection wait once, and the last one counts", () => {
    const { source, publish, clock } = sourceRig({ requestsPerSecond: 1, requestBurst: 1 });
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(rules);
    for (let repeat = 0; repeat < 100; repeat++) sink.subscribe(gateways, { incremental: repeat === 99 });
    clock.advance(1_000);
    sink.ack({ incremental: true });
    clock.advance(600_000);
    expect(sink.told).toEqual(["1 full:", "2 full: a=0"]);
  });

  test("to ever more unknown collections end the stream", () => {
    const { source } = sourceRig({ requestsPerSecond: 1, requestBurst: 1 });
    const sink = new RawSink(source);
    for (let index = 0; index < 100; index++) sink.subscribe(`istio/unheard/${index}`);
    expect(sink.status?.code).toBe(GrpcStatus.RESOURCE_EXHAUSTED);
  });
});

describe("a sink that does not read", () => {
  test("receives nothing until it reads, and then the newest state: at most two messages per collection", async () => {
    const { source, publish } = sourceRig();
    const large = "x".repeat(100_000);
    publish({ a: `${large}0` });
    publish({ x: "0" }, rules);
    const sink = new RawSink(source);
    sink.stream.stall();
    sink.subscribe(gateways);
    sink.subscribe(rules);
    for (let round = 1; round <= 10; round++) {
      publish({ a: `${large}${round}` });
      publish({ x: String(round) }, rules);
    }
    sink.stream.resume();
    await Promise.resolve();
    expect(sink.pushes.map(({ collection }) => collection)).toEqual([gateways, rules]);
    expect(sink.told[1]).toBe("2 full: x=10");
    sink.say({ collection: gateways, responseNonce: "1" });
    sink.say({ collection: rules, responseNonce: "2" });
    expect(sink.pushes.slice(2).map(({ collection }) => collection)).toEqual([gateways]);
  });
});

describe("a rejected version", () => {
  test("that is invalid is not sent again until the collection changes", () => {
    const { source, publish, clock } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    sink.nack(GrpcStatus.INVALID_ARGUMENT);
    clock.advance(3_600_000);
    publish({ x: "0" }, rules);
    expect(sink.told).toEqual(["1 full: a=0"]);
    publish({ a: "1" });
    expect(sink.told).toEqual(["1 full: a=0", "2 full: a=1"]);
  });

  test("with a temporary error is retried with growing pauses", () => {
    const { source, publish, clock } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      sink.nack(GrpcStatus.UNAVAILABLE);
      const { length } = sink.told;
      const from = clock.now();
      for (let half = 0; half < 200 && sink.told.length === length; half++) clock.advance(500);
      waits.push(clock.now() - from);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000));
    sink.ack();
    publish({ a: "1" });
    sink.nack(GrpcStatus.UNAVAILABLE);
    clock.advance(1_000);
    expect(sink.told.at(-1)).toBe("12 full: a=1");
  });

  test("is replaced by the next one without delay, and never sent again", () => {
    const { source, publish, clock } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    sink.nack(GrpcStatus.UNAVAILABLE);
    publish({ a: "1" });
    sink.ack();
    clock.advance(3_600_000);
    expect(sink.told).toEqual(["1 full: a=0", "2 full: a=1"]);
  });
});
