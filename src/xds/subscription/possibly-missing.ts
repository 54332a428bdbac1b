import type { Resource } from "../resources/resource.ts";
import { find } from "../resources/target.ts";
import type { Answer } from "./answer.ts";

/** Unchanged resources of a complete answer that the client may not have: rejected, or not acknowledged so far. */
export function possiblyMissing(
  { target, changed }: Answer,
  rejected: Iterable<string>,
  unacknowledged: readonly Answer[],
): readonly Resource[] {
  const sent = unacknowledged.flatMap((answer) => answer.changed.map(({ name }) => name));
  const names = new Set([...rejected, ...sent]);
  if (names.size === 0) return [];
  for (const { name } of changed) names.delete(name);
  return [...names].map((name) => find(target, name)).filter((resource) => resource !== undefined);
}
