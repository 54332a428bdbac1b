import type { Commit } from "../../collection/collection.ts";
import { type Config, type ConfigId, configId } from "../../config/config.ts";
import type { Environment } from "./environment.ts";

/** A user's object that a commit changed. */
export interface ChangedConfig {
  readonly id: ConfigId;
  /** Undefined for a new object. */
  readonly before: Config | undefined;
  /** Undefined for a removed object. */
  readonly after: Config | undefined;
}

/** The users' objects that a commit changed. */
export function* changedConfigs(commit: Commit, { inputs }: Pick<Environment, "inputs">): Generator<ChangedConfig> {
  for (const input of inputs.values()) {
    for (const change of commit.changesOf(input)) {
      const before = change.type === "added" ? undefined : change.before;
      const { kind, namespace, name } = change.type === "removed" ? change.before : change.after;
      const after = change.type === "removed" ? undefined : change.after;
      yield { id: configId(kind, namespace, name), before, after };
    }
  }
}
