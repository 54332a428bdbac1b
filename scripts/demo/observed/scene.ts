import type { CallTally } from "./calls.ts";
import type { DemoProblem } from "./demo-problem.ts";
import type { Event } from "./event-log.ts";
import { percentages } from "./percentages.ts";

/** The content to show at one moment, on a screen or line by line. */
export interface Scene {
  readonly title: string;
  /** The path of the example as the user would write it. */
  readonly directory: string;
  readonly flows: readonly FlowScene[];
  /** Newest first. */
  readonly events: readonly Event[];
  readonly problems: readonly DemoProblem[];
  /** The address of the control plane's own pages. Empty while it starts. */
  readonly debugPages: string;
}

export interface FlowScene {
  readonly user: string;
  readonly way: string;
  readonly tally: CallTally;
  /** The workloads that have a bar even without answers. */
  readonly workloads: readonly string[];
}

/** A part of the calls of a flow: the calls that one workload answered, or the failed calls. */
export interface Share {
  readonly type: "answered" | "failed";
  readonly name: string;
  readonly calls: number;
  readonly percent: number;
}

/** The shares of all workloads in order, and of failed calls at the end if there are any. Together 100 %. */
export function workloadShares({ workloads, tally }: FlowScene): readonly Share[] {
  const names = [...new Set([...workloads, ...tally.answered.keys()])];
  const answered = names.map((name) => ({ type: "answered", name, calls: tally.answered.get(name) ?? 0 }) as const);
  const failures = [...tally.failed.values()].reduce((sum, count) => sum + count, 0);
  const failed = failures === 0 ? [] : [{ type: "failed", name: "failed", calls: failures } as const];
  const parts = [...answered, ...failed];
  const percents = percentages(parts.map(({ calls }) => calls));
  return parts.map((part, index) => ({ ...part, percent: percents[index] ?? 0 }));
}
