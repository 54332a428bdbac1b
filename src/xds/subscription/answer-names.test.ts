import { describe, expect, test } from "vitest";
import { setOf } from "../../testing/envoy/toy-mesh.ts";
import { clusterType } from "../type-urls.ts";
import { type Answer, nothingRetained } from "./answer.ts";
import { namesIn, setApart } from "./answer-names.ts";

const resources = [...setOf(clusterType, { a: 1, b: 1 })];
const answer: Answer = {
  target: [],
  whole: false,
  resources,
  removed: ["x", "y"],
  changed: resources,
  resent: [],
  postponed: [],
  again: false,
  retained: nothingRetained,
  news: true,
};

test("a delta answer names its resources and its removals, a SotW answer only its resources", () => {
  expect([namesIn(answer, "delta"), namesIn(answer, "sotw")]).toEqual([
    ["a", "b", "x", "y"],
    ["a", "b"],
  ]);
});

describe("an answer with changes", () => {
  test("leaves without names that the client rejected before, and postpones them", () => {
    const news = setApart(answer, new Set(["a", "x"]), "delta");
    expect(namesIn(news, "delta")).toEqual(["b", "y"]);
    expect(news.changed.map(({ name }) => name)).toEqual(["b"]);
    expect(news.postponed).toEqual(["a", "x"]);
  });

  test("leaves unchanged when the client rejected all of its names", () => {
    expect(setApart(answer, new Set(["a", "b", "x", "y"]), "delta")).toBe(answer);
    expect(setApart(answer, new Set(["a", "b"]), "sotw")).toBe(answer);
  });
});
