import { expect, test } from "vitest";
import { resultIn } from "./run-jazzer.ts";

const start = ["INFO: Seed: 7", "#4\tINITED cov: 100 ft: 120 corp: 3/90b exec/s: 0 rss: 90Mb"];

test("the figures of a run are those of its last lines", () => {
  const lines = [...start, "#20\tNEW    cov: 130 ft: 150", "#64\tDONE   cov: 130 ft: 151", "CPU seconds: 3.5"];
  expect(resultIn(lines)).toEqual({ executions: 64, coverage: { before: 100, after: 130 }, cpuSeconds: 3.5 });
});

test("a crash has the file of its input, and the lines about it without those of progress", () => {
  const crash = ["==9== Uncaught Exception: Finding: it breaks", "    at check (a.ts:1:1)", "MS: 2 ChangeBit-;"];
  const result = resultIn([...start, "#20\tNEW    cov: 130", ...crash, "Test unit written to /x/crash-1"]);
  expect(result.crash?.file).toBe("/x/crash-1");
  expect(result.crash?.text).toMatch(/^==9== Uncaught Exception: Finding: it breaks\n {4}at check/u);
});

test("a run that does not start says what was said instead", () => {
  expect(() => resultIn(["Error: no such module"])).toThrow("Error: no such module");
});
