import type { ConfigId } from "../../../config/config.ts";
import { memoize } from "../../../lib/memo.ts";
import { keyOf } from "../config-id.ts";
import type { Conflict } from "../conflict.ts";
import type { PushContext } from "../push-context.ts";
import type { DestinationRule } from "./destination-rule.ts";

const reason = "rules of one namespace for one host are merged, and the oldest has the first word";

/** Subsets that several rules of one host define: the first definition applies. */
export function subsetConflicts(push: PushContext): readonly Conflict[] {
  return findConflicts([push.hostRules, push.destinationRules]);
}

const findConflicts = memoize(
  ([hostRules, destinationRules]: readonly [PushContext["hostRules"], PushContext["destinationRules"]]) =>
    [...hostRules.values()].flatMap(({ rules }) => rules.flatMap((rule) => conflictsIn(rule, destinationRules))),
);

/** `owners` are in merge order. */
function conflictsIn(
  { host, owners }: DestinationRule,
  destinationRules: PushContext["destinationRules"],
): readonly Conflict[] {
  if (owners.length < 2) return [];
  const first = new Map<string, ConfigId>();
  const conflicts: Conflict[] = [];
  for (const owner of owners) {
    for (const { name } of destinationRules.get(keyOf(owner))?.subsets ?? []) {
      const winner = first.get(name);
      if (winner === undefined) first.set(name, owner);
      else if (winner !== owner)
        conflicts.push({ type: "subset", about: `${name} of ${host}`, winner, losers: [owner], reason });
    }
  }
  return conflicts;
}
