import type { Config, ConfigId } from "../../../config/config.ts";
import type { RolloutGate } from "../../../config/rollout/rollout-plan.ts";
import { contentOf, planOf, type StagedChange } from "../../registry/rollout/staged-change.ts";
import type { Reached } from "./membership.ts";
import type { RolloutEvent, Told } from "./rollout-event.ts";

/**
 * - `waiting`: other rollouts come first, or its objects have just changed.
 * - `delivering`: the proxies of the waves so far have the change.
 * - `paused`: the same, and no further wave begins.
 * - `halted`: all proxies have the stable versions, until an object changes.
 */
type RolloutPhase = "waiting" | "delivering" | "paused" | "halted";

/**
 * Why a rollout is halted: a proxy rejected the change, or disconnected again and again; proxies gave no answer; the gate
 * is above its limit, or has no data; an operator aborted it.
 */
type HaltCause = "rejection" | "disconnects" | "silence" | "gate" | "operator";

export interface Halt extends Told {
  readonly cause: HaltCause;
}

/** A staged change on its way through the proxies. */
export interface StagedRollout extends Reached {
  readonly change: StagedChange;
  /** Names the content: a rollout of other content begins anew. */
  readonly content: string;
  readonly startedAt: number;
  readonly phase: RolloutPhase;
  /** Since when it is in this phase and wave. */
  readonly since: number;
  /** The reason of a halt. */
  readonly reason: string;
  /** The reason of the halt; empty if the rollout is not halted. */
  readonly cause: HaltCause | "";
  /** The newest last. */
  readonly events: readonly RolloutEvent[];
}

/** The answer of a gate. */
export type GateAnswer =
  | { readonly type: "passed"; readonly value: number }
  | { readonly type: "above"; readonly value: number }
  | { readonly type: "no data"; readonly reason: string };

export type AskGate = (gate: RolloutGate) => Promise<GateAnswer>;

/** Events of rollouts, for the log and metrics. */
export interface RolloutObserver {
  rolloutMoved(id: string, event: RolloutEvent): void;
  rolloutFailed(id: string, cause: Error): void;
}

/** The state of a rollout in another process. */
export interface SavedRollout
  extends Pick<
    StagedRollout,
    "content" | "phase" | "wave" | "chosen" | "reason" | "cause" | "since" | "startedAt" | "events"
  > {
  readonly id: string;
}

/** Whether two processes agree about a rollout of the same content. */
export function isSameState(one: Omit<SavedRollout, "id">, other: Omit<SavedRollout, "id">): boolean {
  const isSameWave = one.wave === other.wave && one.chosen.symmetricDifference(other.chosen).size === 0;
  return one.phase === other.phase && (isSameWave || one.phase === "halted");
}

/** A rollout of a new or changed content. Nobody has it yet. */
export function began(change: StagedChange, now: number): StagedRollout {
  const facts = { content: contentOf(change), plan: planOf(change), startedAt: now, since: now };
  return { change, ...facts, phase: "waiting", wave: 0, chosen: new Set(), reason: "", cause: "", events: [] };
}

/** The content for the proxies of the waves. */
export function nextOf({ objects }: StagedChange): ReadonlyMap<ConfigId, Config | undefined> {
  return new Map(Array.from(objects.values(), ({ id, next }) => [id, next]));
}
