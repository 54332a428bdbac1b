import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { RawSink } from "../../testing/mcp/mcp-raw-sink.ts";
import { gateways, rules, sourceRig } from "../../testing/mcp/mcp-source-rig.ts";

/** `Rejection{name: "b"}`. */
const rejectionOfB = Uint8Array.of(0x0a, 0x01, 0x62);

describe("a sink that requests full state", () => {
  test("receives every version of a collection as full state, each with the next nonce", () => {
    const { source, publish } = sourceRig({ incremental: () => false });
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    sink.ack();
    publish({ a: "1" });
    sink.nack(GrpcStatus.INVALID_ARGUMENT);
    publish({ a: "2" });
    sink.ack();
    publish({ a: undefined });
    sink.ack();
    publish({ a: "3", b: "0", c: "0" });
    // It asks for differences now; the source has none to give.
    sink.ack({ incremental: true });
    publish({ a: "4", b: undefined, d: "0" });
    expect(sink.told).toEqual([
      "1 full: a=0",
      "2 full: a=1",
      "3 full: a=2",
      "4 full:",
      "5 full: a=3 b=0 c=0",
      "6 full: a=4 c=0 d=0",
    ]);
  });

  test("receives nothing while its collection is unchanged", () => {
    const { source, publish } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    sink.ack();
    publish({});
    publish({ x: "0" }, rules);
    expect(sink.told).toHaveLength(1);
  });
});

describe("a sink that requests deltas", () => {
  test("receives changes and removals, after a first full push", () => {
    const { source, publish } = sourceRig();
    const asks = { incremental: true };
    publish({ a: "0", b: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways, asks);
    sink.ack(asks);
    publish({ a: "1", c: "0" });
    sink.ack(asks);
    publish({ a: undefined, b: undefined, c: undefined });
    sink.ack(asks);
    publish({ a: "2" });
    // Once whole, because it asked so; then a difference from that.
    sink.ack();
    publish({ b: "1" });
    sink.ack(asks);
    publish({ b: "2" });
    expect(sink.told).toEqual([
      "1 full: a=0 b=0",
      "2 delta: a=1 c=0",
      "3 delta: -a -b -c",
      "4 delta: a=2",
      "5 full: a=2 b=1",
      "6 delta: b=2",
    ]);
  });

  test("receives full state after a NACK, and deltas again from there", () => {
    const { source, publish } = sourceRig();
    const asks = { incremental: true };
    publish({ a: "0", b: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways, asks);
    sink.ack(asks);
    publish({ a: "1" });
    sink.nack(GrpcStatus.INVALID_ARGUMENT, asks);
    publish({ b: "1" });
    sink.ack(asks);
    publish({ b: "2" });
    expect(sink.told).toEqual(["1 full: a=0 b=0", "2 delta: a=1", "3 full: a=1 b=1", "4 delta: b=2"]);
  });

  test("receives the first push of every collection as full state, not only the first of the stream", () => {
    const { source, publish } = sourceRig();
    publish({ a: "0" });
    publish({ x: "0" }, rules);
    const sink = new RawSink(source);
    sink.subscribe(gateways, { incremental: true });
    sink.subscribe(rules, { incremental: true });
    expect(sink.told).toEqual(["1 full: a=0", "2 full: x=0"]);
  });

  test("resumes from its announced versions: missed removals are sent, unchanged resources are not", () => {
    const { source, publish } = sourceRig();
    publish({ a: "0", b: "0" });
    const first = new RawSink(source);
    first.subscribe(gateways);
    const held = Object.fromEntries(first.last.resources.map(({ metadata }) => [metadata?.name, metadata?.version]));
    publish({ a: undefined, c: "0" });
    const second = new RawSink(source);
    second.subscribe(gateways, { incremental: true, initialResourceVersions: held });
    expect(second.told).toEqual(["1 delta: c=0 -a"]);
  });

  test("with unchanged content receives an empty delta, so that it can acknowledge the version", () => {
    const { source, publish } = sourceRig();
    publish({ a: "0" });
    const first = new RawSink(source);
    first.subscribe(gateways);
    const version = first.last.resources[0]?.metadata?.version ?? "";
    const second = new RawSink(source);
    second.subscribe(gateways, { incremental: true, initialResourceVersions: { a: version } });
    expect(second.told).toEqual(["1 delta:"]);
    expect(second.last.systemVersionInfo).toBe(first.last.systemVersionInfo);
  });

  test("receives full state if the source has deltas disabled, or if it announces versions but requests full state", () => {
    const noDeltas = sourceRig({ incremental: (collection) => collection !== gateways });
    noDeltas.publish({ a: "0" });
    const sink = new RawSink(noDeltas.source);
    sink.subscribe(gateways, { incremental: true, initialResourceVersions: { a: "v1" } });
    expect(sink.told).toEqual(["1 full: a=0"]);

    const { source, publish } = sourceRig();
    publish({ a: "0" });
    const asksForAll = new RawSink(source);
    asksForAll.subscribe(gateways, { initialResourceVersions: { a: "v1" } });
    expect(asksForAll.told).toEqual(["1 full: a=0"]);
  });

  test("that rejected a few resources receives deltas from the sent state", () => {
    const { source, publish, observer } = sourceRig();
    publish({ a: "0", b: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways, { incremental: true });
    sink.nack(GrpcStatus.INVALID_ARGUMENT, {
      incremental: true,
      errorDetail: {
        code: 3,
        details: [{ typeUrl: "type.googleapis.com/binnacle.mcp.v1.Rejection", value: rejectionOfB }],
      },
    });
    publish({ a: "1" });
    expect(sink.told).toEqual(["1 full: a=0 b=0", "2 delta: a=1"]);
    expect(observer.nacks).toHaveLength(1);
    const [collection] = source.status[0]?.collections ?? [];
    expect(collection?.lastNack?.rejected).toEqual([{ name: "b", reason: "" }]);
  });
});
