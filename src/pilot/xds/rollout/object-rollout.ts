import type { Config, ConfigId } from "../../../config/config.ts";
import { waveText } from "../../../config/rollout/rollout-plan.ts";
import type { StagedRollout } from "./staged-rollout.ts";

/** The rollout that holds an object back, for those who wait for the object. */
export interface ObjectRollout extends Pick<StagedRollout, "phase" | "wave" | "reason" | "cause"> {
  /** `namespace/name`. */
  readonly id: string;
  /** The waves, as their author wrote them, and `100%`. */
  readonly waves: readonly string[];
  /** The rollout that is delivered before this one. */
  readonly behind: string | undefined;
  /** The content that the proxies of the waves have. Undefined for a deletion. */
  readonly next: Config | undefined;
  readonly isReached: (node: string) => boolean;
  readonly hasAccepted: (node: string) => boolean;
}

/** The waves of a rollout for people: the last one is everybody. */
export function waveTexts({ plan }: Pick<StagedRollout, "plan">): readonly string[] {
  return [...plan.waves.map(waveText), "100%"];
}

interface RolloutFacts {
  readonly current: StagedRollout | undefined;
  readonly reached: ReadonlySet<string>;
  readonly hasAccepted: (node: string) => boolean;
}

export function objectRollout(
  rollout: StagedRollout,
  id: ConfigId,
  { current, reached, hasAccepted }: RolloutFacts,
): ObjectRollout {
  const { change, phase, wave, reason, cause } = rollout;
  const isBehind = phase === "waiting" && current !== undefined && current.change.id !== change.id;
  return {
    id: change.id,
    phase,
    wave,
    reason,
    cause,
    waves: waveTexts(rollout),
    behind: isBehind ? current.change.id : undefined,
    next: change.objects.get(id)?.next,
    isReached: (node) => reached.has(node),
    hasAccepted: (node) => reached.has(node) && hasAccepted(node),
  };
}
