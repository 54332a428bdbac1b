import type { RolloutPlan } from "../../../config/rollout/rollout-plan.ts";
import type { GateAnswer } from "./staged-rollout.ts";
import type { AnsweredGate } from "./wave-progress.ts";

/** A gate without data does not open, and ends the rollout after this time. */
const noDataMs = 300_000;

type GateVerdict = { readonly type: "open" | "closed" } | { readonly type: "failed"; readonly reason: string };

export function gateText(answer: GateAnswer): string {
  return answer.type === "no data" ? `no data: ${answer.reason}` : `${answer.type}: ${answer.value}`;
}

/** Whether the gate opened after the time of the wave. An answer from before says nothing about the whole time. */
export function gateVerdict(
  { gate, waitMs }: RolloutPlan,
  answered: AnsweredGate | undefined,
  { acceptedAt, now }: { readonly acceptedAt: number; readonly now: number },
): GateVerdict {
  if (gate === undefined) return { type: "open" };
  const dueAt = acceptedAt + waitMs;
  if (answered !== undefined && answered.askedAt >= dueAt && answered.answer.type === "passed") return { type: "open" };
  if (now - dueAt < noDataMs) return { type: "closed" };
  const reason = answered?.answer.type === "no data" ? answered.answer.reason : "no answer";
  return { type: "failed", reason: `the query gave no data for ${noDataMs / 60_000} minutes: ${reason}` };
}
