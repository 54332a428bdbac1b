import { appliedVersion } from "../../../../config/applied-version.ts";
import type { Config } from "../../../../config/config.ts";
import type { ObjectRollout } from "../../rollout/object-rollout.ts";
import type { MissingAnswer } from "./missing-answer.ts";

/** Whether an object has the content that a version or a content hash names. */
export function hasContent(config: Config, version: string): boolean {
  return config.version === version || appliedVersion(config) === version;
}

/**
 * The rollout whose end somebody waits for. The newest content of the object is that of the rollout, even if most proxies
 * do not have it. Undefined if the version from before is awaited by its hash, and no proxy has another one.
 */
export function awaitedRollout(
  rollout: ObjectRollout | undefined,
  stable: Config | undefined,
  version: string | undefined,
): ObjectRollout | undefined {
  if (rollout === undefined) return undefined;
  const isEverywhere = rollout.wave === 0 || rollout.phase === "halted";
  const isStableAwaited = version !== undefined && stable !== undefined && hasContent(stable, version);
  return isStableAwaited && isEverywhere ? undefined : rollout;
}

/** While a rollout runs, a proxy of its wave owes an answer. Other proxies come with a later wave. */
export function waveAnswersOf(
  { isReached, hasAccepted, phase, wave, waves }: ObjectRollout,
  node: string,
  missing: readonly MissingAnswer[],
): readonly MissingAnswer[] {
  if (phase === "halted" || !isReached(node) || hasAccepted(node)) return [];
  if (missing.length > 0) return missing;
  const message = `wave ${wave} of ${waves.length}`;
  return [{ type: "", resources: [], why: "unacknowledged", message, isFinal: false }];
}
