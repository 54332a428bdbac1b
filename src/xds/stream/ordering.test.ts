import { expect, test } from "vitest";
import { SnapshotRig } from "../../testing/envoy/snapshot-rig.ts";
import { clusterType, listenerType } from "../type-urls.ts";

test("a cluster stays while listeners cannot be made: those that the client has may refer to it", () => {
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
