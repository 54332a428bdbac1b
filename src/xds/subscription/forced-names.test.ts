import { beforeEach, describe, expect, test } from "vitest";
import { ForcedNames } from "./forced-names.ts";

let forced: ForcedNames;

beforeEach(() => {
  forced = new ForcedNames();
});

describe("forced names", () => {
  test("are none at first", () => {
    expect([forced.names, forced.isEmpty, [...forced.reasons]]).toEqual([new Set(), true, []]);
  });

  test("add up, with all of their reasons", () => {
    forced.add(["a"], "clusters_sent");
    forced.add(["a", "b"], "asked");
    expect([forced.names, forced.isEmpty]).toEqual([new Set(["a", "b"]), false]);
    expect([...forced.reasons]).toEqual(["clusters_sent", "asked"]);
  });

  test("stay all once all are forced", () => {
    forced.add(["a"], "asked");
    forced.add("all", "wildcard_added");
    forced.add(["b"], "asked");
    expect([forced.names, forced.isEmpty]).toEqual(["all", false]);
  });

  test("take no reason from an empty list", () => {
    forced.add([], "clusters_sent");
    expect([forced.isEmpty, forced.reasons.size]).toEqual([true, 0]);
  });

  test("are gone after an answer, with their reasons", () => {
    forced.add("all", "asked");
    forced.clear();
    expect([forced.names, forced.isEmpty, forced.reasons.size]).toEqual([new Set(), true, 0]);
  });
});
