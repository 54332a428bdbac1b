import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { SnapshotRig } from "../testing/envoy/snapshot-rig.ts";
import { clusterType, endpointType, extensionType, listenerType, routeType } from "./type-urls.ts";

/** How many answers were worked out for the one stream there is. */
function computations({ server }: SnapshotRig): number {
  return [...server.connections]
    .flatMap(({ subscriptions }) => subscriptions)
    .reduce((sum, each) => sum + each.computed, 0);
}

describe("whether an answer must wait", () => {
  test("is decided before it is worked out, and then it is worked out once, whatever came meanwhile", () => {
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

  test("is not even asked where nothing changed", () => {
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

describe("a missing acknowledgement", () => {
  test("is waited for 15 s, then what waited for it leaves, and only that counts as timed out", () => {
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
  test("for a type that is not served stays unanswered, and makes no watch", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const { ask, read, client } = rig.sotw();
    ask({ typeUrl: "type.googleapis.com/some.Other" });
    ask({ typeUrl: clusterType });
    expect(read().map(({ typeUrl }) => typeUrl)).toEqual([clusterType]);
    expect(client.status).toBeUndefined();
    expect(rig.observer.unknownTypes).toEqual(["type.googleapis.com/some.Other"]);
  });

  test("that rejects what was never sent is counted, and asks as any first request does, in both protocols", () => {
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

  test("that rejects a response and leaves the type is both", () => {
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

  test("with a nonce, before anything could be answered, counts as a first one", () => {
    const rig = new SnapshotRig();
    const { ask, read } = rig.sotw();
    ask({ typeUrl: endpointType, resourceNames: ["a"] });
    ask({ typeUrl: endpointType, resourceNames: ["b"], responseNonce: "old" });
    rig.set({ [endpointType]: { a: "1", b: "1" } });
    expect(read().map(({ resources }) => resources.length)).toEqual([1]);
  });

  test("without a type is refused on an aggregated stream, and means its one type on another", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const aggregated = rig.sotw();
    aggregated.ask({});
    expect(aggregated.client.status?.code).toBe(GrpcStatus.INVALID_ARGUMENT);
    const own = rig.sotw({ only: clusterType });
    own.ask({});
    expect(own.read().map(({ typeUrl }) => typeUrl)).toEqual([clusterType]);
  });

  test("for a second type ends a stream that has but one", () => {
    const rig = new SnapshotRig();
    const { ask, client } = rig.delta({ only: routeType });
    ask({ typeUrl: listenerType });
    expect(client.status).toMatchObject({ code: GrpcStatus.INVALID_ARGUMENT });
  });

  test("that left a type is not undone by the acknowledgement of what was on its way", () => {
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

test("extensions are never told to be gone: Envoy drops what nothing refers to by itself", () => {
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

test("a client of v2 gets the same bytes under the old names", () => {
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
