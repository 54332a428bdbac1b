import type { Told } from "./rollout-event.ts";
import type { StagedRollout } from "./staged-rollout.ts";
import type { WaveSteps } from "./wave-steps.ts";

/**
 * - `pause`: no further wave begins.
 * - `resume`: goes on with a paused rollout, or begins a halted one anew.
 * - `abort`: all proxies get the stable versions, until an object changes.
 * - `promote`: all proxies get the change at once.
 */
export const rolloutCommands = ["pause", "resume", "abort", "promote"] as const;
export type RolloutCommand = (typeof rolloutCommands)[number];

/** The phases in which a command makes sense. */
const allowed: Readonly<Record<RolloutCommand, readonly StagedRollout["phase"][]>> = {
  pause: ["delivering", "waiting"],
  resume: ["paused", "halted"],
  abort: ["waiting", "delivering", "paused"],
  promote: ["waiting", "delivering", "paused", "halted"],
};

/** Runs a command. Returns false if there is no rollout of this id, or its phase does not allow the command. */
export function runCommand(steps: WaveSteps, command: RolloutCommand, id: string, order: Told): boolean {
  const rollout = steps.register.of(id);
  if (rollout === undefined || !allowed[command].includes(rollout.phase)) return false;
  switch (command) {
    case "pause":
      steps.register.move({ ...rollout, phase: "paused" }, "paused", order);
      return true;
    case "resume":
      steps.resume(rollout, order);
      return true;
    case "abort":
      steps.abort(rollout, order);
      return true;
    case "promote":
      steps.register.move(rollout, "promoted", order);
      steps.finish(steps.register.of(id) ?? rollout);
      return true;
    default:
      return command satisfies never;
  }
}
