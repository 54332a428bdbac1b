import { describe, expect, test } from "vitest";
import { largest } from "../../lib/extremes.ts";
import { inputOf } from "../../testing/config/analysis-input.ts";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { crowdOf } from "../../testing/mesh/crowd.ts";
import type { Kind } from "../kind.ts";
import { kinds } from "../kinds.ts";
import { type AnalysisReport, analyze } from "./analyze.ts";
import type { AnalysisInput } from "./analyzer.ts";
import { analyzers } from "./analyzers.ts";

/** `npm run crowd` uses more. */
const many = process.env["BINNACLE_WHOLE"] === undefined ? 1_000 : 10_000;
const few = many / 4;

/** Four times the objects take four times the work. Sorting and the first call of a function add a little. */
const mostGrowth = 5;

/** Largest number of findings per object: every field of a rival may be wrong by itself. */
const mostFindings = 15;
const longestText = 2_000;

function isOurs(url: string): boolean {
  return url.includes("/src/") && !url.includes("/src/testing/");
}

const one = new Map(kinds.map((kind) => [kind, crowdOf(kind, 1)]));

/** Many objects of some kinds, and one of every other kind. */
function crowded(crowds: readonly Kind[], count: number): AnalysisInput {
  return inputOf(kinds.flatMap((kind) => (crowds.includes(kind) ? crowdOf(kind, count) : (one.get(kind) ?? []))));
}

const read = new Set<Kind>(analyzers.flatMap(({ inputs }) => inputs));
const unread = kinds.filter((kind) => !read.has(kind));

async function workOf(input: AnalysisInput): Promise<{ readonly calls: number; readonly report: AnalysisReport }> {
  let report: AnalysisReport = { messages: [], skipped: [] };
  const calls = await functionCalls(isOurs, () => {
    report = analyze(analyzers, input);
  });
  return { calls, report };
}

function expectBounded({ messages, skipped }: AnalysisReport, objects: number): void {
  expect(skipped).toEqual([]);
  expect(messages.filter(({ type }) => type.name === "InternalError")).toEqual([]);
  expect(messages.length).toBeLessThan(mostFindings * objects + 1_000);
  expect(largest(messages.map(({ text }) => text.length))).toBeLessThan(longestText);
}

describe("the work and the findings of an analysis grow no faster than the mesh", () => {
  test.each(Array.from(read, (kind) => [kind.kind, kind] as const))("with many rivals of kind %s", async (_, kind) => {
    const [small, large] = [await workOf(crowded([kind], few)), await workOf(crowded([kind], many))];
    expectBounded(large.report, many);
    expect(large.calls / small.calls).toBeLessThan(mostGrowth);
  });

  test("with many objects of each kind that no analyzer reads", async () => {
    // The first analysis also computes what later ones remember.
    await workOf(crowded(unread, 1));
    const [small, large] = [await workOf(crowded(unread, 1)), await workOf(crowded(unread, many / 10))];
    expect(large.report.messages.length).toBe(small.report.messages.length);
    expect(large.calls).toBe(small.calls);
  });

  test("with many rivals of every such kind at once", async () => {
    const [small, large] = [await workOf(crowded([...read], few / 2)), await workOf(crowded([...read], many / 2))];
    expectBounded(large.report, (many / 2) * read.size);
    expect(large.calls / small.calls).toBeLessThan(mostGrowth);
  });
});
