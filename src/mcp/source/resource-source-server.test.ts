import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { RecordingSource } from "../../testing/mcp/mcp-observers.ts";
import { RawSink } from "../../testing/mcp/mcp-raw-sink.ts";
import { gateways, rules, serviceEntries, sourceRig } from "../../testing/mcp/mcp-source-rig.ts";
import type { PushFacts } from "../mcp-observer.ts";

describe("a subscription", () => {
  test("before the first snapshot is answered when there is one", () => {
    const { source, publish } = sourceRig();
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    expect(sink.told).toEqual([]);
    publish({ a: "0" });
    expect(sink.told).toEqual(["1 full: a=0"]);
  });

  test("to an empty collection is answered with a version that is not empty", () => {
    const { source, publish } = sourceRig();
    publish({});
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    expect(sink.told).toEqual(["1 full:"]);
    expect(sink.last.systemVersionInfo).not.toBe("");
  });

  test("to one collection does not wait for another's answer", () => {
    const { source, publish } = sourceRig();
    publish({ a: "0" });
    publish({ x: "0" }, rules);
    publish({ y: "0" }, serviceEntries);
    const sink = new RawSink(source);
    for (const collection of [gateways, rules, serviceEntries]) sink.subscribe(collection);
    publish({ x: "1" }, rules);
    const [, second] = sink.pushes;
    sink.say({ collection: rules, responseNonce: second?.nonce ?? "" });
    expect(sink.pushes.map(({ collection, nonce }) => [collection, nonce])).toEqual([
      [gateways, "1"],
      [rules, "2"],
      [serviceEntries, "3"],
      [rules, "4"],
    ]);
  });

  test("repeated after an answer gets the current version again at once, under a new nonce", () => {
    const { source, publish } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    sink.ack();
    sink.subscribe(gateways);
    sink.nack(GrpcStatus.INVALID_ARGUMENT);
    // An error without a nonce is no NACK.
    sink.subscribe(gateways, { errorDetail: { code: 3 } });
    expect(sink.told).toEqual(["1 full: a=0", "2 full: a=0", "3 full: a=0"]);
  });

  test("repeated while a push is unanswered does not count as its ACK", () => {
    const { source, publish, observer } = sourceRig();
    const asks = { incremental: true };
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways, asks);
    sink.ack(asks);
    publish({ b: "0" });
    sink.subscribe(gateways, asks);
    expect(sink.told).toEqual(["1 full: a=0", "2 delta: b=0", "3 full: a=0 b=0"]);
    sink.say({ collection: gateways, responseNonce: "2", ...asks });
    expect(observer.acks).toHaveLength(1);
    expect(observer.stales).toHaveLength(1);
  });
});

describe("an answer", () => {
  test("with an unexpected nonce changes nothing", () => {
    const { source, publish, observer } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    publish({ a: "1" });
    for (const responseNonce of ["7", "foreign"]) {
      sink.say({ collection: gateways, responseNonce });
      sink.say({ collection: gateways, responseNonce, errorDetail: { code: 3 } });
    }
    // The right nonce, for a collection that it is foreign to.
    sink.say({ collection: rules, responseNonce: "1" });
    expect(sink.told).toEqual(["1 full: a=0"]);
    expect(observer.stales).toHaveLength(5);
    sink.ack();
    sink.say({ collection: gateways, responseNonce: "1" });
    expect(sink.told).toEqual(["1 full: a=0", "2 full: a=1"]);
  });

  test("for a collection without a subscription does not subscribe to it", () => {
    const { source, publish, observer } = sourceRig();
    const sink = new RawSink(source);
    sink.say({ collection: gateways, responseNonce: "1" });
    publish({ a: "0" });
    expect(sink.told).toEqual([]);
    expect(observer.stales).toHaveLength(1);
    expect(source.status[0]?.collections).toEqual([]);
  });

  test("that is missing holds back later changes: then only the newest version is sent", () => {
    const { source, publish, mesh } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    const other = new RawSink(source);
    for (const each of [sink, other]) each.subscribe(gateways);
    for (const content of ["1", "2", "3"]) {
      other.ack();
      publish({ a: content });
    }
    expect(sink.told).toEqual(["1 full: a=0"]);
    expect(other.told).toHaveLength(4);
    sink.ack();
    expect(sink.told).toEqual(["1 full: a=0", "2 full: a=3"]);
    expect(mesh.cache.groups).toEqual(["default", "syntheticServiceEntry"]);
  });

  test("with an error of code 0 is a NACK", () => {
    const { source, publish, observer } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source);
    sink.subscribe(gateways);
    sink.nack(0);
    expect(observer.nacks.map(({ code }) => code)).toEqual([0]);
    publish({ a: "1" });
    expect(sink.told).toEqual(["1 full: a=0", "2 full: a=1"]);
  });

  test("that is missing is reported after ten seconds, and ends the stream if configured", () => {
    const patient = sourceRig();
    patient.publish({ a: "0" });
    const sink = new RawSink(patient.source);
    sink.subscribe(gateways);
    patient.clock.advance(9_999);
    expect(patient.observer.overdue).toEqual([]);
    patient.clock.advance(60_000);
    expect(patient.observer.overdue).toEqual([{ collection: gateways, ms: 10_000 }]);
    expect(sink.status).toBeUndefined();

    const strict = sourceRig({ ackResetMs: 30_000 });
    strict.publish({ a: "0" });
    const slow = new RawSink(strict.source);
    slow.subscribe(gateways);
    strict.clock.advance(30_000);
    expect(slow.status?.code).toBe(GrpcStatus.UNAVAILABLE);
    expect(strict.clock.pending).toBe(0);
  });
});

describe("the end of a stream", () => {
  test("leaves no stream, timer, watch or status behind", () => {
    const { source, publish, clock, observer } = sourceRig({ requestsPerSecond: 1, requestBurst: 3 });
    publish({ a: "0" });
    const end = (how: (sink: RawSink) => void) => {
      clock.advance(60_000);
      const sink = new RawSink(source);
      sink.subscribe(gateways);
      sink.nack(GrpcStatus.UNAVAILABLE);
      sink.subscribe(rules);
      sink.subscribe(serviceEntries);
      how(sink);
      return sink;
    };
    expect(end((sink) => sink.stream.close()).status?.code).toBe(GrpcStatus.OK);
    end((sink) => sink.stream.cancel());
    end((sink) => sink.stream.disconnect());
    expect(source.status).toEqual([]);
    expect(clock.pending).toBe(0);
    expect(observer.open).toBe(0);
    expect(observer.reasons.map(({ type }) => type)).toEqual(["client", "client", "broken"]);
    publish({ a: "1" });
    expect(observer.failures).toEqual([]);
  });

  test("follows an invalid message", () => {
    const { source } = sourceRig();
    const sink = new RawSink(source);
    sink.stream.send(Uint8Array.of(0xff));
    expect(sink.status?.code).toBe(GrpcStatus.INVALID_ARGUMENT);
  });

  test("follows for all streams when the source stops", () => {
    const { source, publish } = sourceRig();
    const sinks = [new RawSink(source), new RawSink(source)];
    source.stop();
    expect(sinks.map(({ status }) => status?.code)).toEqual([GrpcStatus.UNAVAILABLE, GrpcStatus.UNAVAILABLE]);
    publish({ a: "0" });
  });

  test("follows for one stream alone when serving it fails", () => {
    const observer = new (class extends RecordingSource {
      override pushed(push: PushFacts): void {
        if (push.id === 1) throw new Error("a bug");
        super.pushed(push);
      }
    })();
    const { source, publish } = sourceRig({}, observer);
    publish({ a: "0" });
    const [bad, good] = [new RawSink(source), new RawSink(source)];
    bad.subscribe(gateways);
    good.subscribe(gateways);
    expect(bad.status).toEqual({ code: GrpcStatus.INTERNAL, message: "internal error" });
    expect(observer.failures.map(({ message }) => message)).toEqual(["a bug"]);
    expect(good.told).toEqual(["1 full: a=0"]);
  });
});

describe("a sink that was dialled", () => {
  test("receives the trigger first, without a nonce; its NACK is ignored and nonces start at 1", () => {
    const { source, publish, observer } = sourceRig();
    publish({ a: "0" });
    const sink = new RawSink(source, { trigger: true });
    expect(sink.pushes).toMatchObject([{ collection: "$triggerCollection", nonce: "", systemVersionInfo: "" }]);
    sink.subscribe(gateways);
    sink.say({ collection: "$triggerCollection", errorDetail: { code: GrpcStatus.UNIMPLEMENTED } });
    expect(sink.told).toEqual([" full:", "1 full: a=0"]);
    expect(observer.requests).toHaveLength(1);
    expect(observer.unknown).toEqual([]);
  });

  test("that rejects the trigger with another code counts as a request for an unknown collection", () => {
    const { source } = sourceRig({ unknownCollections: "reject" });
    const sink = new RawSink(source, { trigger: true });
    sink.say({ collection: "$triggerCollection", errorDetail: { code: GrpcStatus.INTERNAL } });
    expect(sink.status?.code).toBe(GrpcStatus.INVALID_ARGUMENT);
  });
});

test("the status of a sink has its node, its pushes, ACKs, NACKs and last requests", () => {
  const { source, publish, clock } = sourceRig();
  clock.advance(5);
  publish({ a: "0" });
  const sink = new RawSink(source);
  sink.subscribe(gateways);
  sink.ack();
  publish({ a: "1" });
  sink.nack(GrpcStatus.INVALID_ARGUMENT);
  const [row] = source.status;
  const [first, second] = sink.pushes.map(({ systemVersionInfo }) => systemVersionInfo);
  expect(row).toMatchObject({ id: 1, peer: "in-memory", identity: "", nodeId: "test-node", openedAt: 5 });
  expect(row?.collections).toEqual([
    {
      collection: gateways,
      sentVersion: second,
      ackedVersion: first,
      lastNack: { code: 3, message: "no", rejected: [], version: second },
      sentAt: 5,
      pendingNonce: undefined,
    },
  ]);
  expect(row?.recentRequests.map(({ nonce, error }) => [nonce, error?.code])).toEqual([
    ["", undefined],
    ["1", undefined],
    ["2", 3],
  ]);
});

test("the observer gets sizes of requests and pushes, not contents", () => {
  const { source, publish, observer } = sourceRig();
  publish({ a: "0" });
  const sink = new RawSink(source);
  sink.subscribe(gateways);
  const [bytes] = sink.stream.received;
  expect(observer.pushes).toMatchObject([{ collection: gateways, nonce: "1", resources: 1, bytes: bytes?.length }]);
  expect(observer.requests).toMatchObject([{ collection: gateways, nonce: "", bytes: 49 }]);
});
