import type { ConfigId } from "../../config/config.ts";

/** Whether a caller may call a service, by configuration. */
export type Verdict = "allowed" | "denied" | "depends";

/** One thing that decides, with the objects behind it. */
export interface Reason {
  readonly verdict: Verdict;
  /** A sentence without its full stop. */
  readonly text: string;
  readonly objects: readonly ConfigId[];
}

export interface Decision {
  readonly verdict: Verdict;
  /** The deciding ones first. */
  readonly reasons: readonly Reason[];
}

const ranks: Readonly<Record<Verdict, number>> = { denied: 0, depends: 1, allowed: 2 };

/** All hurdles must be taken: one denial denies. */
export function decisionOf(reasons: readonly Reason[]): Decision {
  const sorted = reasons.toSorted((a, b) => ranks[a.verdict] - ranks[b.verdict]);
  return { verdict: sorted[0]?.verdict ?? "allowed", reasons: sorted };
}

/** Several workloads serve, or several kinds of workloads call. If they decide differently, it depends on them. */
export function unitedDecision(decisions: readonly Decision[], difference: string): Decision {
  const verdicts = new Set(decisions.map(({ verdict }) => verdict));
  const reasons = distinct(decisions.flatMap((each) => each.reasons));
  if (verdicts.size <= 1) return { verdict: decisions[0]?.verdict ?? "allowed", reasons };
  return { verdict: "depends", reasons: [{ verdict: "depends", text: difference, objects: [] }, ...reasons] };
}

function distinct(reasons: readonly Reason[]): readonly Reason[] {
  return [...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values()];
}
