import { describe, expect, test } from "vitest";
import { SnapshotRig } from "../../testing/envoy/snapshot-rig.ts";
import { clusterType, endpointType } from "../type-urls.ts";
import { type Repetition, repetitions } from "./repetition.ts";

const contents = { [clusterType]: { a: "1", b: "1" }, [endpointType]: { a: "1", b: "1" } };

/** Why the last response left, if nothing in it was new. */
function lastOf({ observer }: SnapshotRig): readonly Repetition[] {
  return observer.sent.at(-1)?.repeats ?? [];
}

/** A stream that has asked for this and acknowledged the answer. */
function delta(typeUrl: string, names: readonly string[]) {
  const rig = new SnapshotRig();
  rig.set(contents);
  const stream = rig.delta();
  stream.ask({ typeUrl, resourceNamesSubscribe: [...names] });
  stream.ask({ typeUrl, responseNonce: "1" });
  return { rig, ...stream };
}

function sotw(typeUrl: string, resourceNames: string[]) {
  const rig = new SnapshotRig();
  rig.set(contents);
  const stream = rig.sotw();
  stream.ask({ typeUrl, resourceNames });
  stream.ask({ typeUrl, resourceNames, responseNonce: "1" });
  return { rig, ...stream };
}

/** One story for each reason there is. */
const stories: Readonly<Record<Repetition, () => SnapshotRig>> = {
  first_answer: () => {
    const rig = new SnapshotRig();
    rig.set({});
    rig.sotw().ask({ typeUrl: clusterType });
    return rig;
  },
  subscribed_again: () => {
    const { rig, ask } = delta(endpointType, ["a"]);
    ask({ typeUrl: endpointType, resourceNamesSubscribe: ["a"] });
    return rig;
  },
  left_but_wildcard: () => {
    const { rig, ask } = delta(clusterType, ["*", "a"]);
    ask({ typeUrl: clusterType, resourceNamesUnsubscribe: ["a"] });
    return rig;
  },
  wildcard_added: () => {
    const { rig, ask } = delta(clusterType, ["a", "b"]);
    ask({ typeUrl: clusterType, resourceNamesSubscribe: ["*"] });
    return rig;
  },
  asked_anew: () => {
    const { rig, ask } = sotw(endpointType, ["a"]);
    ask({ typeUrl: endpointType, resourceNames: ["a"] });
    return rig;
  },
  repeated_request: () => {
    const { rig, ask } = sotw(endpointType, ["a"]);
    ask({ typeUrl: endpointType, resourceNames: ["a"], responseNonce: "1" });
    return rig;
  },
  clusters_sent: () => {
    const { rig, ask } = sotw(endpointType, ["a"]);
    ask({ typeUrl: clusterType });
    return rig;
  },
  rejected_together: () => {
    const { rig, ask } = delta(endpointType, ["a", "b"]);
    rig.set({ ...contents, [endpointType]: { a: "2", b: "2" } });
    ask({ typeUrl: endpointType, responseNonce: "2", errorDetail: { code: 3, message: "no" } });
    return rig;
  },
  clusters_overdue: () => {
    const { rig, ask } = sotw(endpointType, ["a"]);
    ask({ typeUrl: clusterType });
    ask({ typeUrl: endpointType, resourceNames: ["a"], responseNonce: "3" });
    rig.clock.advance(15_000);
    return rig;
  },
};

describe("what leaves although nothing in it is new", () => {
  test.each(Object.keys(repetitions) as Repetition[])("has a reason: %s", (reason) => {
    expect(lastOf(stories[reason]())).toEqual([reason]);
  });

  test("is told apart from what a client asks for the first time", () => {
    const { rig, ask } = delta(endpointType, ["a"]);
    ask({ typeUrl: endpointType, resourceNamesSubscribe: ["b"] });
    expect(lastOf(rig)).toEqual([]);
  });
});
