import type { Event } from "./event-log.ts";
import { percentages } from "./percentages.ts";
import type { Problem } from "./problem.ts";
import type { Tally } from "./traffic.ts";

/** All there is to show at one moment, whether on a screen or line by line. */
export interface Scene {
  readonly title: string;
  /** The example as the user would name it. */
  readonly directory: string;
  readonly flows: readonly FlowScene[];
  /** Newest first. */
  readonly events: readonly Event[];
  readonly problems: readonly Problem[];
  /** Where the control plane's own pages are; empty while it starts. */
  readonly debugPages: string;
}

export interface FlowScene {
  readonly user: string;
  readonly way: string;
  readonly tally: Tally;
  /** Those who have a bar even if none of them answers. */
  readonly workloads: readonly string[];
}

/** A part of the calls of a flow: those that one workload answered, or those that failed. */
export interface Share {
  readonly type: "answered" | "failed";
  readonly name: string;
  readonly calls: number;
  readonly percent: number;
}

/** All who answered and all who could have, in order, and last what failed, if anything did: together 100 %. */
export function sharesOf({ workloads, tally }: FlowScene): readonly Share[] {
  const names = [...new Set([...workloads, ...tally.answered.keys()])];
  const answered = names.map((name) => ({ type: "answered", name, calls: tally.answered.get(name) ?? 0 }) as const);
  const failures = [...tally.failed.values()].reduce((sum, count) => sum + count, 0);
  const failed = failures === 0 ? [] : [{ type: "failed", name: "failed", calls: failures } as const];
  const parts = [...answered, ...failed];
  const percents = percentages(parts.map(({ calls }) => calls));
  return parts.map((part, index) => ({ ...part, percent: percents[index] ?? 0 }));
}
