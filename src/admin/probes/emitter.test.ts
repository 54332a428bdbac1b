import { expect, test } from "vitest";
import { alive, awaitedBy } from "./emitter.ts";

test("a process without emitters is not available: nobody can vouch for it", () => {
  expect(awaitedBy([])).not.toEqual([]);
});

test("all emitters have to be available, and each says what it waits for", () => {
  const processing = { name: "processing", awaited: () => ["source file:a"] };
  const validation = { name: "validation", awaited: () => [] };
  expect(awaitedBy([processing, validation])).toEqual(["processing: source file:a"]);
  expect(awaitedBy([validation])).toEqual([]);
});

test("liveness waits for nothing", () => {
  expect(awaitedBy([alive])).toEqual([]);
});
