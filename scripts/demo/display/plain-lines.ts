import { issueText } from "../../../src/cli/issues/issue-text.ts";
import type { DemoProblem } from "../observed/demo-problem.ts";
import type { Event } from "../observed/event-log.ts";
import { type FlowScene, type Scene, workloadShares } from "../observed/scene.ts";
import { instructions, problemPlace, pushWords } from "./sentences.ts";

/** The news since the previous scene, and the traffic: for pipes, files and tests. */
export function plainLines(before: Scene | undefined, after: Scene): readonly string[] {
  const known = new Set(before?.events);
  const past = before?.problems ?? [];
  return [
    ...(before === undefined ? instructions(after.directory) : []),
    ...after.events
      .filter((event) => !known.has(event))
      .toReversed()
      .map(eventLine),
    ...without(after.problems, past).map(problemText),
    ...without(past, after.problems).map((problem) => `mended: ${problemPlace(problem)}`),
    ...after.flows.filter(({ tally }) => tally.calls > 0).map(flowLine),
  ];
}

function without(problems: readonly DemoProblem[], others: readonly DemoProblem[]): readonly DemoProblem[] {
  const known = new Set(others.map(identityOf));
  return problems.filter((problem) => !known.has(identityOf(problem)));
}

function identityOf({ issue }: DemoProblem): string {
  return JSON.stringify(issue);
}

function eventLine(event: Event): string {
  if (event.type === "trouble") return `trouble: ${event.text}`;
  const { what, size, whom, why } = pushWords(event);
  return `pushed: ${what}, ${size} to ${whom}: ${why}`;
}

function problemText({ issue, text }: DemoProblem): string {
  return `problem: ${issueText(issue, { textOf: () => text, coloured: false })}`;
}

/** `everybody: 198 calls, reviews-v1 158 (80 %), reviews-v2 40 (20 %)` */
function flowLine(flow: FlowScene): string {
  const shares = workloadShares(flow).map(({ name, calls, percent }) => `${name} ${calls} (${percent} %)`);
  const reasons = flow.tally.failed.size === 0 ? "" : `: ${[...flow.tally.failed.keys()].join(", ")}`;
  return `${flow.user}: ${[`${flow.tally.calls} calls`, ...shares].join(", ")}${reasons}`;
}
