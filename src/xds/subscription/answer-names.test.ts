import { describe, expect, test } from "vitest";
import { setOf } from "../../testing/envoy/toy-mesh.ts";
import { clusterType } from "../type-urls.ts";
import { type Answer, nothingRetained } from "./answer.ts";
import { coveredNames, postponeRejected } from "./answer-names.ts";

const resources = [...setOf(clusterType, { a: 1, b: 1 })];
const answer: Answer = {
  target: [],
  whole: false,
  resources,
  removed: ["x", "y"],
  changed: resources,
  resent: [],
  postponed: [],
  isRetry: false,
  retained: nothingRetained,
  hasChanges: true,
};

test("a delta answer names its resources and its removals, a SotW answer only its resources", () => {
  expect([coveredNames(answer, "delta"), coveredNames(answer, "sotw")]).toEqual([
    ["a", "b", "x", "y"],
    ["a", "b"],
  ]);
});

describe("an answer with changes", () => {
  test("leaves without names that the client rejected before, and postpones them", () => {
    const rest = postponeRejected(answer, new Set(["a", "x"]), "delta");
    expect(coveredNames(rest, "delta")).toEqual(["b", "y"]);
    expect(rest.changed.map(({ name }) => name)).toEqual(["b"]);
    expect(rest.postponed).toEqual(["a", "x"]);
  });

  test("leaves unchanged when the client rejected all of its names", () => {
    expect(postponeRejected(answer, new Set(["a", "b", "x", "y"]), "delta")).toBe(answer);
    expect(postponeRejected(answer, new Set(["a", "b"]), "sotw")).toBe(answer);
  });
});
