import { describe, expect, onTestFinished, test, vi } from "vitest";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { SnapshotRig } from "../testing/envoy/snapshot-rig.ts";
import { clusterType, endpointType, extensionType, listenerType, routeType } from "./type-urls.ts";
import { HeldVersions } from "./wire/held-versions.ts";

/** How many answers the server computed for the only stream. */
function computations({ server }: SnapshotRig): number {
  return [...server.connections]
    .flatMap(({ subscriptions }) => subscriptions)
    .reduce((sum, each) => sum + each.computed, 0);
}

describe("the check whether an answer must wait", () => {
  test("runs before the answer is computed, and the answer is then computed once for all changes in between", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const { ask, read } = rig.sotw();
    ask({ typeUrl: clusterType });
    const [first] = read();
    expect(computations(rig)).toBe(1);
    for (const revision of ["2", "3", "4"]) rig.set({ [clusterType]: { a: revision } });
    expect([computations(rig), rig.observer.delays]).toEqual([1, 3]);
    ask({ typeUrl: clusterType, responseNonce: first?.nonce ?? "" });
    expect(read()).toHaveLength(1);
    expect(computations(rig)).toBe(2);
  });

  test("does not run when nothing changed", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" }, [listenerType]: { l: "1" } });
    const { ask, read } = rig.sotw();
    ask({ typeUrl: clusterType });
    const [first] = read();
    ask({ typeUrl: clusterType, responseNonce: first?.nonce ?? "" });
    rig.set({ [clusterType]: { a: "1" }, [listenerType]: { l: "2" } });
    expect([computations(rig), rig.observer.delays]).toEqual([1, 0]);
  });
});

describe("a change that waits for an acknowledgement", () => {
  test("is reported when it is queued and when it leaves", () => {
    const rig = new SnapshotRig();
    rig.set({ [listenerType]: { a: "1" } });
    const { ask, read } = rig.sotw();
    ask({ typeUrl: listenerType });
    rig.set({ [listenerType]: { a: "2" } });
    expect([rig.observer.delays, rig.observer.releases]).toEqual([1, 0]);
    const [first] = read();
    ask({ typeUrl: listenerType, responseNonce: first?.nonce ?? "" });
    expect([rig.observer.delays, rig.observer.releases]).toEqual([1, 1]);
    const [second] = read();
    ask({ typeUrl: listenerType, responseNonce: second?.nonce ?? "" });
    expect(rig.observer.releases).toBe(1);
  });
});

test("versions that a client holds are copied only if their answer waits, and are right then", () => {
  const rig = new SnapshotRig();
  rig.set({ [clusterType]: { a: "1" }, [listenerType]: { l: "1", m: "1" } });
  const earlier = rig.delta();
  earlier.ask({ typeUrl: listenerType });
  const [l] = earlier.read().flatMap(({ resources }) => resources);
  const copies = vi.spyOn(HeldVersions.prototype, "keep");
  onTestFinished(() => copies.mockRestore());
  const { ask, read } = rig.delta();
  ask({ typeUrl: clusterType, initialResourceVersions: { a: "old" } });
  const [clusters] = read();
  expect([clusters?.resources.map(({ name }) => name), copies.mock.calls.length]).toEqual([["a"], 0]);
  ask({ typeUrl: listenerType, initialResourceVersions: { l: l?.version ?? "" } });
  expect([read(), copies.mock.calls.length]).toEqual([[], 1]);
  ask({ typeUrl: clusterType, responseNonce: clusters?.nonce ?? "" });
  expect(read().map(({ resources }) => resources.map(({ name }) => name))).toEqual([["m"]]);
});

describe("the duration of a response", () => {
  test("includes building its resources, once, on a request and on a push", () => {
    const rig = new SnapshotRig();
    rig.makingMs = 30;
    rig.set({ [listenerType]: { a: "1" } });
    const { ask, read } = rig.sotw();
    ask({ typeUrl: listenerType });
    const [first] = read();
    rig.makingMs = 0;
    ask({ typeUrl: listenerType, responseNonce: first?.nonce ?? "" });
    rig.madeMs = 50;
    rig.set({ [listenerType]: { a: "2" } });
    rig.madeMs = 0;
    ask({ typeUrl: listenerType, responseNonce: read()[0]?.nonce ?? "" });
    rig.set({ [listenerType]: { a: "3" } });
    expect(rig.observer.sent.map(({ ms }) => ms)).toEqual([30, 50, 0]);
  });
});

describe("a response that has not left when its stream breaks", () => {
  test("counts as a failed send, by type; a response that has left does not", async () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" }, [listenerType]: { l: "1" } });
    const { ask, client } = rig.sotw();
    ask({ typeUrl: listenerType });
    await Promise.resolve();
    client.stall();
    ask({ typeUrl: clusterType });
    client.disconnect();
    expect(rig.observer.unsent).toEqual(["CDS"]);
  });

  test("does not count when the client closed the stream", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const { ask, client } = rig.sotw();
    client.stall();
    ask({ typeUrl: clusterType });
    client.cancel();
    expect(rig.observer.unsent).toEqual([]);
  });
});

describe("without flow control", () => {
  test.each(["sotw", "delta"] as const)("a change does not wait for an acknowledgement, %s", (mode) => {
    const rig = new SnapshotRig({ flowControl: false });
    rig.set({ [listenerType]: { a: "1" } });
    const { ask, read } = rig[mode]();
    ask({ typeUrl: listenerType });
    for (const revision of ["2", "3"]) rig.set({ [listenerType]: { a: revision } });
    const answers = read();
    expect([answers.length, rig.observer.delays]).toEqual([3, 0]);
    for (const { nonce } of answers) ask({ typeUrl: listenerType, responseNonce: nonce });
    const [connection] = rig.server.connections;
    expect(connection?.subscriptions.map(({ state }) => state)).toEqual(["synced"]);
    expect(read()).toEqual([]);
  });

  test("listeners wait all the same until clusters are acknowledged", () => {
    const rig = new SnapshotRig({ flowControl: false });
    rig.set({ [clusterType]: { a: "1" }, [listenerType]: { l: "1" } });
    const { ask, read } = rig.sotw();
    ask({ typeUrl: clusterType });
    const [clusters] = read();
    ask({ typeUrl: listenerType });
    expect(read()).toHaveLength(0);
    ask({ typeUrl: clusterType, responseNonce: clusters?.nonce ?? "" });
    expect(read().map(({ typeUrl }) => typeUrl)).toEqual([listenerType]);
  });
});

describe("a missing acknowledgement", () => {
  test("delays other responses for 15 s; then they leave, and only they count as timed out", () => {
    const rig = new SnapshotRig();
    rig.set({ [listenerType]: { a: "1" } });
    const { ask, read } = rig.sotw();
    ask({ typeUrl: listenerType });
    rig.set({ [listenerType]: { a: "2" } });
    rig.clock.advance(14_999);
    expect(read()).toHaveLength(1);
    rig.clock.advance(1);
    expect([read().length, rig.observer.overdue, rig.observer.delayTimeouts]).toEqual([1, 1, 1]);
    rig.clock.advance(15_000);
    expect([read().length, rig.observer.overdue, rig.observer.delayTimeouts]).toEqual([0, 2, 1]);
  });
});

describe("a request", () => {
  test("for a type that is not served gets no answer and creates no watch", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const { ask, read, client } = rig.sotw();
    ask({ typeUrl: "type.googleapis.com/some.Other" });
    ask({ typeUrl: clusterType });
    expect(read().map(({ typeUrl }) => typeUrl)).toEqual([clusterType]);
    expect(client.status).toBeUndefined();
    expect(rig.observer.unknownTypes).toEqual(["type.googleapis.com/some.Other"]);
  });

  test("that rejects a response of an earlier stream is counted, and subscribes like a first request", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const errorDetail = { code: 3, message: "no" };
    const [sotw, delta] = [rig.sotw(), rig.delta()];
    sotw.ask({ typeUrl: clusterType, responseNonce: "7", errorDetail });
    delta.ask({ typeUrl: clusterType, responseNonce: "7", errorDetail });
    expect([sotw, delta].map(({ read }) => read().map(({ resources }) => resources.length))).toEqual([[1], [1]]);
    const states = [...rig.server.connections].flatMap(({ subscriptions }) => subscriptions.map(({ state }) => state));
    expect([states, rig.observer.rejections]).toEqual([["stale", "stale"], 2]);
  });

  test("that rejects a response and unsubscribes from the type does both", () => {
    const rig = new SnapshotRig();
    rig.set({ [endpointType]: { a: "1" } });
    const errorDetail = { code: 3, message: "no" };
    const [sotw, delta] = [rig.sotw(), rig.delta()];
    sotw.ask({ typeUrl: endpointType, resourceNames: ["a"] });
    delta.ask({ typeUrl: endpointType, resourceNamesSubscribe: ["a"] });
    sotw.ask({ typeUrl: endpointType, responseNonce: "1", errorDetail });
    delta.ask({ typeUrl: endpointType, resourceNamesUnsubscribe: ["a"], responseNonce: "1", errorDetail });
    expect([...rig.server.connections].map(({ subscriptions }) => subscriptions)).toEqual([[], []]);
    expect(rig.observer.rejections).toBe(2);
  });

  test("with a nonce, before the first answer, counts as a first request", () => {
    const rig = new SnapshotRig();
    const { ask, read } = rig.sotw();
    ask({ typeUrl: endpointType, resourceNames: ["a"] });
    ask({ typeUrl: endpointType, resourceNames: ["b"], responseNonce: "old" });
    rig.set({ [endpointType]: { a: "1", b: "1" } });
    expect(read().map(({ resources }) => resources.length)).toEqual([1]);
  });

  test("without a type is refused on an aggregated stream, and uses the only type of another stream", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const aggregated = rig.sotw();
    aggregated.ask({});
    expect(aggregated.client.status?.code).toBe(GrpcStatus.INVALID_ARGUMENT);
    const own = rig.sotw({ only: clusterType });
    own.ask({});
    expect(own.read().map(({ typeUrl }) => typeUrl)).toEqual([clusterType]);
  });

  test("for a second type ends a stream of a single-type service", () => {
    const rig = new SnapshotRig();
    const { ask, client } = rig.delta({ only: routeType });
    ask({ typeUrl: listenerType });
    expect(client.status).toMatchObject({ code: GrpcStatus.INVALID_ARGUMENT });
  });

  test("that unsubscribes from a type is not undone by the acknowledgement of a response in flight", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1", b: "1" } });
    const { ask, read } = rig.delta();
    ask({ typeUrl: clusterType, resourceNamesSubscribe: ["a"] });
    const [first] = read();
    ask({ typeUrl: clusterType, resourceNamesUnsubscribe: ["a"] });
    ask({ typeUrl: clusterType, responseNonce: first?.nonce ?? "" });
    expect(read()).toEqual([]);
  });
});

test("extension configs are never removed: Envoy drops unreferenced ones by itself", () => {
  const rig = new SnapshotRig();
  rig.set({ [extensionType]: { a: "1" } });
  const { ask, read } = rig.delta();
  ask({ typeUrl: extensionType, resourceNamesSubscribe: ["a", "missing"] });
  const [first] = read();
  expect(first?.removedResources).toEqual([]);
  ask({ typeUrl: extensionType, responseNonce: first?.nonce ?? "" });
  rig.set({});
  expect(read()).toEqual([]);
});

test("a v2 client gets the same bytes under the v2 type URLs", () => {
  const rig = new SnapshotRig();
  rig.set({ [clusterType]: { a: "1" } });
  const typeUrl = "type.googleapis.com/envoy.api.v2.Cluster";
  const { ask, read } = rig.sotw();
  ask({ typeUrl });
  const [first] = read();
  expect(first?.typeUrl).toBe(typeUrl);
  expect(first?.resources.map((any) => [any.typeUrl, String.fromCharCode(...any.value)])).toEqual([[typeUrl, "1"]]);
  ask({ typeUrl, responseNonce: first?.nonce ?? "" });
  rig.set({ [clusterType]: { a: "2" } });
  expect(read()).toMatchObject([{ typeUrl }]);
});
