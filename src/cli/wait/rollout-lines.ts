import type { ObjectProgressPage } from "../../admin/pilot/object-progress.ts";

type Rollout = NonNullable<ObjectProgressPage["rollout"]>;

/** The rollout that an object waits for, and what its operator may do. */
export function rolloutLines(rollout: Rollout): readonly string[] {
  const { rollout: name, phase, reason, behind } = rollout;
  const command = (word: string) => `binnacle rollout ${word} ${name}`;
  switch (phase) {
    case "waiting":
      return [`rollout ${name} waits${behind === "" ? "" : ` for the end of rollout ${behind}`}`];
    case "delivering":
      return [`rollout ${name}: ${waveWords(rollout)}; all about it: ${command("show")}`];
    case "paused":
      return [`rollout ${name} is paused: ${waveWords(rollout)}; to go on: ${command("resume")}`];
    case "halted":
      return [
        `rollout ${name} is halted: ${reason}`,
        `all proxies have the version from before; edit the object, or begin anew: ${command("resume")}`,
      ];
    default:
      return phase satisfies never;
  }
}

/** `wave 2 of 4 (10%)`. */
export function waveWords({ wave, waves }: Rollout): string {
  const name = waves[wave - 1];
  return name === undefined ? `no wave of ${waves.length} yet` : `wave ${wave} of ${waves.length} (${name})`;
}
