import type { DemoProblem } from "../observed/demo-problem.ts";
import type { Event } from "../observed/event-log.ts";
import type { FlowScene, Scene } from "../observed/scene.ts";

/** A scene for tests of displays: everybody's calls are split, jason's are not. Parts can be replaced. */
export function sampleScene(parts: Partial<Scene> = {}): Scene {
  return {
    title: "gRPC clients that need no proxy",
    directory: "examples/bookinfo",
    flows: [
      sampleFlow({ "reviews-v1": 318, "reviews-v2": 82 }),
      { ...sampleFlow({ "reviews-v3": 400 }), user: "jason", way: "productpage-1 calls with end-user: jason" },
    ],
    events: [edited, asked],
    problems: [],
    debugPages: "http://127.0.0.1:41234/debug",
    ...parts,
  };
}

export function sampleFlow(
  answered: Readonly<Record<string, number>>,
  failed: Readonly<Record<string, number>> = {},
): FlowScene {
  const counts = [...Object.values(answered), ...Object.values(failed)];
  return {
    user: "everybody",
    way: "productpage-0 calls over gRPC",
    workloads: ["reviews-v1", "reviews-v2", "reviews-v3"],
    tally: {
      calls: counts.reduce((sum, count) => sum + count, 0),
      answered: new Map(Object.entries(answered)),
      failed: new Map(Object.entries(failed)),
    },
  };
}

const asked: Event = {
  type: "push",
  at: new Date(2026, 10, 16, 14, 3, 1).getTime(),
  resourceType: "EDS",
  bytes: 1106,
  clients: ["productpage-0"],
  causes: ["request"],
};

/** The push after a change of a weight. */
export const edited: Event = {
  type: "push",
  at: new Date(2026, 10, 16, 14, 3, 7).getTime(),
  resourceType: "RDS",
  bytes: 2016,
  clients: ["productpage-0", "productpage-1"],
  causes: ["config"],
  sinceSaveMs: 41.3,
};

export const brokenWeight: DemoProblem = {
  issue: {
    severity: "error",
    code: "wrong-type",
    object: "VirtualService bookinfo/reviews",
    path: "spec.http[1].route[0].weight",
    message: 'expected a number, found "lots"',
    place: { file: "examples/bookinfo/reviews.yaml", line: 2, column: 11 },
  },
  text: "        - destination: { host: reviews, subset: v1 }\n          weight: lots\n",
};
