import { expect, test } from "vitest";
import { alive, awaitedBy } from "./emitter.ts";

test("a process without emitters is not available", () => {
  expect(awaitedBy([])).not.toEqual([]);
});

test("readiness needs all emitters, and lists what each of them awaits", () => {
  const processing = { name: "processing", awaited: () => ["source file:a"] };
  const validation = { name: "validation", awaited: () => [] };
  expect(awaitedBy([processing, validation])).toEqual(["processing: source file:a"]);
  expect(awaitedBy([validation])).toEqual([]);
});

test("liveness waits for nothing", () => {
  expect(awaitedBy([alive])).toEqual([]);
});
