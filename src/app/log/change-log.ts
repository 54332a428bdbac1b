import type { Change, Collection, Commit } from "../../collection/collection.ts";
import { changedFields } from "../../config/changed-fields.ts";
import { type Config, configKey } from "../../config/config.ts";
import { outputOf } from "../../config/kind.ts";
import { kinds } from "../../config/kinds.ts";
import type { Logger } from "../../lib/logger.ts";

/** Changes of one commit that have a line each; more are one line with their numbers. */
const maxLines = 20;

/** Mesh configuration only: pods and endpoints change all the time, and no user writes them. */
const written = new Set(kinds.filter(({ builtIn }) => builtIn !== true).map((kind) => outputOf(kind)));

/** Logs accepted changes: the object, its source and the changed fields. Skips everything that is read at the start. */
export function logChanges(commit: Commit, outputs: ReadonlyMap<string, Collection<Config>>, logger: Logger): void {
  const changes: Change<Config>[] = [];
  for (const [name, collection] of outputs) {
    if (!written.has(name) || !collection.synced || commit.newlySynced.has(collection.name)) continue;
    for (const change of commit.changesOf(collection)) if (!isSameContent(change)) changes.push(change);
  }
  if (changes.length > maxLines) {
    const counts = Object.groupBy(changes, ({ type }) => type);
    const [added = [], updated = [], removed = []] = [counts.added, counts.updated, counts.removed];
    const numbers = { added: added.length, updated: updated.length, removed: removed.length };
    logger.info(numbers, "config accepted");
    return;
  }
  for (const change of changes) logger.info(fieldsOf(change), "config accepted");
}

/** An object that only moved within its file. */
function isSameContent(change: Change<Config>): boolean {
  return change.type === "updated" && change.before.version === change.after.version;
}

function fieldsOf(change: Change<Config>) {
  const config = change.type === "removed" ? change.before : change.after;
  const { kind, origin } = config;
  return {
    change: change.type,
    object: `${kind} ${configKey(config)}`,
    reference: origin.reference,
    ...(change.type === "updated" && { fields: changedFields(change.before, change.after) }),
  };
}
