import { expect, test } from "vitest";
import { SnapshotRig } from "../../testing/envoy/snapshot-rig.ts";
import { clusterType, listenerType } from "../type-urls.ts";

test("a cluster stays while listeners cannot be built, because the client's listeners may refer to it", () => {
  const rig = new SnapshotRig();
  rig.set({ [clusterType]: { a: "1", b: "1" }, [listenerType]: { l: "to a" } });
  const { ask, read } = rig.delta();
  const acknowledge = () => {
    const responses = read();
    for (const { typeUrl, nonce } of responses) ask({ typeUrl, responseNonce: nonce });
    return responses.flatMap(({ removedResources }) => removedResources);
  };
  ask({ typeUrl: clusterType });
  acknowledge();
  ask({ typeUrl: listenerType });
  acknowledge();
  rig.failing.add(listenerType);
  rig.set({ [clusterType]: { b: "1" }, [listenerType]: { l: "to b" } });
  expect(acknowledge()).toEqual([]);
  rig.failing.delete(listenerType);
  rig.set({ [clusterType]: { b: "1" }, [listenerType]: { l: "to b" } });
  expect(acknowledge()).toEqual([]);
  expect(acknowledge()).toEqual(["a"]);
});

test("a cluster stays until the client acknowledged its listeners, also after the time-out and after a NACK", () => {
  const rig = new SnapshotRig();
  rig.set({ [clusterType]: { a: "1" }, [listenerType]: { l: "to a" } });
  const { ask, read } = rig.delta();
  const removed = () => read().flatMap(({ removedResources }) => removedResources);
  ask({ typeUrl: clusterType });
  ask({ typeUrl: clusterType, responseNonce: "1" });
  ask({ typeUrl: listenerType });
  ask({ typeUrl: listenerType, responseNonce: "2" });
  rig.set({ [clusterType]: { b: "1" }, [listenerType]: { l: "to b" } });
  ask({ typeUrl: clusterType, responseNonce: "3" });
  rig.clock.advance(60_000);
  rig.set({ [clusterType]: { b: "2" }, [listenerType]: { l: "to b" } });
  ask({ typeUrl: clusterType, responseNonce: "5" });
  expect(removed()).toEqual([]);
  ask({ typeUrl: listenerType, responseNonce: "4", errorDetail: { code: 3, message: "no" } });
  expect(removed()).toEqual([]);
  rig.set({ [clusterType]: { b: "2" }, [listenerType]: { l: "still to b" } });
  ask({ typeUrl: listenerType, responseNonce: "6" });
  expect(removed()).toEqual(["a"]);
});

test("a SotW answer leaves out a rejected cluster as soon as it is gone, even while removals wait", () => {
  const rig = new SnapshotRig();
  rig.set({ [clusterType]: { bad: "1", good: "1" }, [listenerType]: { l: "bad" } });
  const { ask, read } = rig.sotw();
  const errorDetail = { code: 3, message: "no" };
  ask({ typeUrl: clusterType });
  ask({ typeUrl: clusterType, responseNonce: "1", errorDetail });
  ask({ typeUrl: listenerType });
  ask({ typeUrl: listenerType, responseNonce: "2", errorDetail });
  read();
  rig.set({ [clusterType]: { good: "1" }, [listenerType]: { l: "bad" } });
  expect(read().map(({ typeUrl, resources }) => [typeUrl, resources.length])).toEqual([[clusterType, 1]]);
  ask({ typeUrl: clusterType, responseNonce: "3" });
  expect(read()).toEqual([]);
});
