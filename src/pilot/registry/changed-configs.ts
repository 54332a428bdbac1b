import type { Commit } from "../../collection/collection.ts";
import { type Config, type ConfigId, configId } from "../../config/config.ts";
import type { Environment } from "./environment.ts";

/** The users' objects that a commit changed, each with its version before; undefined for a new object. */
export function* changedConfigs(
  commit: Commit,
  { inputs }: Pick<Environment, "inputs">,
): Generator<{ readonly id: ConfigId; readonly before: Config | undefined }> {
  for (const input of inputs.values()) {
    for (const change of commit.changesOf(input)) {
      const before = change.type === "added" ? undefined : change.before;
      const { kind, namespace, name } = change.type === "removed" ? change.before : change.after;
      yield { id: configId(kind, namespace, name), before };
    }
  }
}
