import { rolledOutType, type StatusCondition } from "../../config/analysis/status-condition.ts";
import type { ConfigId } from "../../config/config.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { keyOf } from "../../pilot/model/config-id.ts";
import { waveTexts } from "../../pilot/xds/rollout/object-rollout.ts";
import type { StagedRollout } from "../../pilot/xds/rollout/staged-rollout.ts";
import type { StagedRollouts } from "../../pilot/xds/rollout/staged-rollouts.ts";
import type { Pilot } from "../build-pilot.ts";
import { timeOfDay } from "../process/time-of-day.ts";
import type { ConditionFeed, ObjectCondition } from "../kube/status/object-conditions.ts";

interface RolloutFacts extends Pick<Pilot, "environment"> {
  readonly discovery: { readonly rollouts: Pick<StagedRollouts, "rollouts" | "ended" | "onChanged"> | undefined };
  readonly clock: Clock;
}

/** The conditions of objects under a rollout, and of those whose last rollout has finished since the server started. */
export function rolloutFeed({ discovery: { rollouts }, environment, clock }: RolloutFacts): ConditionFeed {
  const timeOf = timeOfDay(clock);
  // All proxies have it that no wave has reached.
  const versionOf = (id: ConfigId) => environment.inputOf(id)?.get(keyOf(id))?.version;
  return {
    conditions() {
      const all = new Map<ConfigId, ObjectCondition>();
      // The newest last: it replaces the others.
      for (const rollout of [...(rollouts?.ended ?? []), ...(rollouts?.rollouts ?? [])]) {
        const isFinished = rollouts?.ended.includes(rollout) ?? false;
        const condition = conditionOf(rollout, isFinished, timeOf);
        for (const { id, next, stable } of rollout.change.objects.values()) {
          if (isFinished && (next === undefined || versionOf(id) !== next.version)) all.delete(id);
          else all.set(id, { object: id, source: (next ?? stable)?.origin.source, condition });
        }
      }
      return [...all.values()];
    },
    listen: (listener) => rollouts?.onChanged(listener),
  };
}

const reasons = { waiting: "Waiting", delivering: "Progressing", paused: "Paused", halted: "Halted" } as const;

/** It changes with each wave, not with each answer of a proxy. */
function conditionOf(rollout: StagedRollout, isFinished: boolean, timeOf: (ms: number) => Date): StatusCondition {
  const { change, phase, wave, since, reason, events } = rollout;
  const waves = waveTexts(rollout);
  const name = waves[wave - 1];
  const where = name === undefined ? "" : `, wave ${wave} of ${waves.length} (${name})`;
  const words = isFinished ? "all proxies get it" : `${phase}${where}${reason === "" ? "" : `: ${reason}`}`;
  return {
    type: rolledOutType,
    status: isFinished ? "True" : "False",
    reason: isFinished ? "Finished" : reasons[phase],
    message: `rollout ${change.id}: ${words}`,
    lastTransitionTime: timeOf(isFinished ? (events.at(-1)?.at ?? since) : since).toISOString(),
  };
}
