import { describe, expect, test } from "vitest";
import { largeRoutes } from "../../testing/envoy/large-routes.ts";
import { SnapshotRig } from "../../testing/envoy/snapshot-rig.ts";
import { clusterType, endpointType, routeType, virtualHostType } from "../type-urls.ts";
import { type Repetition, repetitions } from "./repetition.ts";

const contents = { [clusterType]: { a: "1", b: "1" }, [endpointType]: { a: "1", b: "1" } };

/** The repetition reasons of the last response. */
function lastOf({ observer }: SnapshotRig): readonly Repetition[] {
  return observer.sent.at(-1)?.repeats ?? [];
}

/** A stream that requested these names and acknowledged the answer. */
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

/** One scenario for each repetition reason. */
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
  routes_sent: () => {
    const rig = new SnapshotRig({ splitFrom: 16 });
    rig.set({}, [largeRoutes("80", 20)]);
    const { ask } = rig.delta();
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["80"] });
    ask({ typeUrl: routeType, responseNonce: "1" });
    ask({ typeUrl: virtualHostType });
    ask({ typeUrl: virtualHostType, responseNonce: "2" });
    ask({ typeUrl: routeType, resourceNamesSubscribe: ["80"] });
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

describe("a response without changes", () => {
  test.each(Object.keys(repetitions) as Repetition[])("has a reason: %s", (reason) => {
    expect(lastOf(stories[reason]())).toEqual([reason]);
  });

  test("has no repetition reason when the client requests the names for the first time", () => {
    const { rig, ask } = delta(endpointType, ["a"]);
    ask({ typeUrl: endpointType, resourceNamesSubscribe: ["b"] });
    expect(lastOf(rig)).toEqual([]);
  });

  test("has no repetition reason when a SotW client adds names, even in a NACK", () => {
    const { rig, ask } = sotw(endpointType, ["a"]);
    ask({ typeUrl: endpointType, resourceNames: ["a", "b"], responseNonce: "1" });
    expect(lastOf(rig)).toEqual([]);
    const other = sotw(endpointType, ["a"]);
    other.rig.set({ ...contents, [endpointType]: { a: "2", b: "1" } });
    const errorDetail = { code: 3, message: "no" };
    other.ask({ typeUrl: endpointType, resourceNames: ["a", "b"], responseNonce: "2", errorDetail });
    expect([other.rig.observer.sent.length, lastOf(other.rig)]).toEqual([3, []]);
  });

  test("has a reason when a SotW client adds the wildcard", () => {
    const { rig, ask } = sotw(clusterType, ["a", "b"]);
    ask({ typeUrl: clusterType, resourceNames: ["*"], responseNonce: "1" });
    expect(lastOf(rig)).toEqual(["wildcard_added"]);
  });

  test.each(Object.entries(repetitions))("is documented for readers of the metric: %s", (_reason, explanation) => {
    expect(explanation).toMatch(/\w/u);
  });
});
