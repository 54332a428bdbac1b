import { describe, expect, test } from "vitest";
import { assert } from "../lib/assert.ts";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { SnapshotRig } from "../testing/envoy/snapshot-rig.ts";
import { clusterType, endpointType, listenerType, routeType } from "./type-urls.ts";

const errorDetail = { code: 3, message: "no" };

/** The only connection of the server. */
function connectionOf({ server }: SnapshotRig) {
  const [connection] = server.connections;
  assert(connection !== undefined, "a client has asked");
  return connection;
}

describe("stream observers", () => {
  test("get every step with its type and its node", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const { ask } = rig.sotw();
    ask({ typeUrl: clusterType, errorDetail, responseNonce: "7" });
    ask({ typeUrl: clusterType, responseNonce: "old" });
    rig.set({ [clusterType]: { a: "2" } });
    ask({ typeUrl: clusterType, responseNonce: "1", errorDetail });
    rig.clock.advance(15_000);
    ask({ typeUrl: "other" });
    expect(rig.observer.stale).toEqual(["CDS"]);
    expect(rig.observer.told).toEqual([
      "node connected",
      "node rejected an earlier CDS: no",
      "node delayed CDS",
      "node rejected CDS CDS: no",
      "node released CDS",
      "node converged",
      "node owes a word on CDS",
      "node asked for other",
    ]);
  });

  test("get every response with its type, size, cause and duration", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1", b: "1" } });
    const { ask, client } = rig.delta();
    ask({ typeUrl: clusterType });
    ask({ typeUrl: clusterType, responseNonce: "1" });
    rig.set({ [clusterType]: { a: "2" } });
    const response = { type: "CDS", typeUrl: clusterType, node: "node", ms: 0, repeats: [] };
    expect(rig.observer.sent).toEqual([
      { ...response, resources: 2, removed: 0, bytes: client.received[0]?.length, cause: ["request"] },
      { ...response, resources: 1, removed: 1, bytes: client.received[1]?.length, cause: ["edit"] },
    ]);
    expect(rig.observer.writes).toEqual([0, 0]);
  });

  test("learn when a push has left completely, and how long that took", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const { ask } = rig.sotw();
    ask({ typeUrl: clusterType });
    rig.set({ [clusterType]: { a: "2" } });
    rig.clock.advance(40);
    rig.set({ [clusterType]: { a: "3" } });
    expect(rig.observer.convergences).toEqual([]);
    rig.clock.advance(2);
    ask({ typeUrl: clusterType, responseNonce: "1" });
    ask({ typeUrl: clusterType, responseNonce: "2" });
    expect(rig.observer.convergences).toEqual([42]);
  });
});

describe("a connection", () => {
  test("reports its client, its start time and the types it watches", () => {
    const rig = new SnapshotRig();
    rig.clock.advance(7);
    rig.set({ [clusterType]: { a: "1" }, [listenerType]: {} });
    const { ask, client } = rig.sotw();
    ask({ typeUrl: clusterType });
    ask({ typeUrl: listenerType });
    const connection = connectionOf(rig);
    const { connectedAt, peer, mode, closed, queued } = connection;
    expect([connectedAt, peer, mode, closed, queued]).toEqual([7, { address: "in-memory" }, "sotw", false, 0]);
    expect(connection.watched.map(({ target }) => target?.map((set) => set.size))).toEqual([[1], [0]]);
    connection.disconnect("bye");
    expect([client.status, connection.closed]).toEqual([{ code: GrpcStatus.UNAVAILABLE, message: "bye" }, true]);
  });

  test("is of one class with streams that have the same leases, and of another one with others", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" }, [listenerType]: {} });
    for (const types of [[clusterType, listenerType], [clusterType, listenerType], [clusterType], [listenerType]]) {
      const { ask } = rig.sotw();
      for (const typeUrl of types) ask({ typeUrl });
    }
    const [first, alike, ...others] = Array.from(rig.server.connections, ({ classId }) => classId);
    expect(alike).toBe(first);
    expect(new Set([first, ...others]).size).toBe(3);
  });

  test("waits for nothing once its stream is closed", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const { ask, client } = rig.delta();
    ask({ typeUrl: clusterType, initialResourceVersions: { a: "old" } });
    const connection = connectionOf(rig);
    client.cancel();
    connection.push({ reasons: new Map([["edit", 1]]), startedAt: 0 });
    connection.pump();
    expect([rig.clock.pending, rig.observer.sent.length, connection.subscriptions]).toEqual([0, 1, []]);
    expect(rig.observer.convergences).toEqual([]);
  });

  test("ends alone when a push fails for it", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const { ask, client } = rig.sotw();
    ask({ typeUrl: clusterType });
    rig.source.lease = failing;
    rig.set({ [clusterType]: { a: "2" } });
    expect(client.status).toEqual({ code: GrpcStatus.INTERNAL, message: "internal error" });
    expect(rig.observer.told).toContain("node failed: planted");
  });

  test("pauses while more than 64 KiB wait in its stream, and resumes after the flush", () => {
    const rig = new SnapshotRig();
    rig.set({ [routeType]: { a: "x".repeat(65 * 1024) }, [endpointType]: { e: "1" } });
    const { ask, client, read } = rig.sotw();
    client.stall();
    ask({ typeUrl: routeType, resourceNames: ["a"] });
    ask({ typeUrl: endpointType, resourceNames: ["e"] });
    expect(rig.observer.sent.map(({ type }) => type)).toEqual(["RDS"]);
    client.resume();
    expect(read().map(({ typeUrl }) => typeUrl)).toEqual([routeType, endpointType]);
  });
});

describe("a type without any subscription left", () => {
  test("does not become a legacy wildcard again with an empty list", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1" } });
    const { ask, read } = rig.sotw();
    ask({ typeUrl: clusterType, resourceNames: ["a"] });
    ask({ typeUrl: clusterType, responseNonce: "1" });
    read();
    ask({ typeUrl: clusterType });
    expect(read()).toEqual([]);
    ask({ typeUrl: clusterType, resourceNames: ["*"] });
    expect(read().map(({ nonce }) => nonce)).toEqual(["2"]);
  });
});

describe("removed clusters", () => {
  test("stay for 15 s at a reconnecting client, because listeners that it has not requested yet may name them", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { b: "1" } });
    const { ask, read } = rig.delta();
    const removed = () => read().flatMap(({ removedResources }) => removedResources);
    ask({ typeUrl: clusterType, initialResourceVersions: { a: "old" } });
    ask({ typeUrl: clusterType, responseNonce: "1" });
    rig.clock.advance(14_999);
    expect(removed()).toEqual([]);
    rig.clock.advance(1);
    expect(removed()).toEqual(["a"]);
  });

  test("leave a new client at once", () => {
    const rig = new SnapshotRig();
    rig.set({ [clusterType]: { a: "1", b: "1" } });
    const { ask, read } = rig.delta();
    ask({ typeUrl: clusterType });
    ask({ typeUrl: clusterType, responseNonce: "1" });
    rig.set({ [clusterType]: { b: "1" } });
    expect(read().flatMap(({ removedResources }) => removedResources)).toEqual(["a"]);
  });
});

function failing(): never {
  throw new Error("planted");
}

/** Whether a delta stream with these requests is resumed. */
function isResumed(...requests: readonly object[]): boolean {
  const rig = new SnapshotRig();
  rig.set({ [clusterType]: { a: "1" } });
  const { ask } = rig.delta();
  for (const request of requests) ask(request);
  return connectionOf(rig).resumed;
}

test("a stream is resumed if a first request of a type has versions of an earlier stream", () => {
  const first = { typeUrl: clusterType };
  const held = { initialResourceVersions: { a: "1" } };
  expect(isResumed(first)).toBe(false);
  expect(isResumed({ ...first, ...held })).toBe(true);
  expect(isResumed({ typeUrl: listenerType }, { ...first, ...held })).toBe(true);
  expect(isResumed(first, { ...first, responseNonce: "1", ...held })).toBe(false);
});
