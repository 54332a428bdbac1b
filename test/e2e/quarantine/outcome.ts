import { loadavg } from "node:os";
import { textTable } from "../../../src/cli/text/text-table.ts";

/** The measurements of one story. */
export interface Outcome {
  readonly row: string;
  readonly mode: string;
  /** The number of refused objects. */
  readonly offenders: number;
  /** The probes that found them. */
  readonly probes: number;
  /** From the first rejection until all gateways served the next edit of another object. */
  readonly seconds: number;
  /** Whether a gateway that starts afterwards serves all other hosts with its first answers. */
  readonly freshIsCorrect: boolean;
  readonly requests: number;
  readonly perSecond: number;
  readonly failed: number;
  readonly released: boolean;
  /** The promises that were broken. */
  readonly misses: readonly string[];
}

/** The measurements of a story, for docs/reference/quarantine.md. */
export type RecordedOutcome = Pick<Outcome, "offenders" | "probes" | "seconds" | "requests" | "perSecond" | "failed">;

export function recordedOutcome({ offenders, probes, seconds, requests, perSecond, failed }: Outcome): RecordedOutcome {
  return {
    offenders,
    probes,
    seconds: Math.round(seconds * 100) / 100,
    requests,
    perSecond: Math.round(perSecond),
    failed,
  };
}

/** The limits of a run. */
export interface Limits {
  /** For each refused object. */
  readonly probes: number;
  /** Absent where the machine may be busy: only a count is the same on every machine. */
  readonly seconds?: number;
  /** At least so many requests per second: fewer would prove little. */
  readonly perSecond?: number;
}

/** All broken promises of a story, also those about its measurements. */
export function missesOf({ misses, ...outcome }: Outcome, limits: Limits): readonly string[] {
  const { offenders, probes, seconds } = outcome;
  const found = [...misses];
  if (probes > limits.probes * offenders) found.push(`${probes} probes for ${offenders} objects`);
  if (seconds > (limits.seconds ?? Number.POSITIVE_INFINITY)) found.push(`an edit took ${seconds.toFixed(2)} s`);
  if (outcome.perSecond < (limits.perSecond ?? 0)) found.push(`${outcome.perSecond.toFixed(0)} requests per second`);
  return found;
}

const head = [
  "row",
  "protocol",
  "probes",
  "seconds",
  "fresh gateway",
  "requests",
  "per second",
  "failed",
  "released",
  "misses",
];

export function outcomeTable(outcomes: readonly Outcome[], limits: Limits): string {
  const rows = outcomes.map((outcome) => [
    outcome.row,
    outcome.mode,
    String(outcome.probes),
    outcome.seconds.toFixed(2),
    outcome.freshIsCorrect ? "correct" : "WRONG",
    String(outcome.requests),
    outcome.perSecond.toFixed(0),
    String(outcome.failed),
    outcome.released ? "yes" : "NO",
    String(missesOf(outcome, limits).length),
  ]);
  const [load = 0] = loadavg();
  return `${textTable(head, rows)}\n(average load of the machine in the last minute: ${load.toFixed(1)})`;
}
