import type { ConfigId } from "../../../config/config.ts";
import { Memo } from "../../../lib/memo.ts";
import { keyOf } from "../config-id.ts";
import type { Conflict } from "../conflict.ts";
import type { PushContext } from "../push-context.ts";
import type { DestinationRule } from "./destination-rule.ts";

const reason = "rules of one namespace for one host are merged, and the oldest has the first word";

const known = new Memo<readonly Conflict[]>();

/** Subsets that several rules of one host define: the first definition counts. */
export function subsetConflicts(push: PushContext): readonly Conflict[] {
  return known.get([push.hostRules, push.destinationRules], "", () =>
    [...push.hostRules.values()].flatMap(({ rules }) => rules.flatMap((rule) => conflictsIn(rule, push))),
  );
}

/** `owners` stand in the order in which they were merged. */
function conflictsIn({ host, owners }: DestinationRule, push: PushContext): readonly Conflict[] {
  if (owners.length < 2) return [];
  const first = new Map<string, ConfigId>();
  const conflicts: Conflict[] = [];
  for (const owner of owners) {
    for (const { name } of push.destinationRules.get(keyOf(owner))?.subsets ?? []) {
      const winner = first.get(name);
      if (winner === undefined) first.set(name, owner);
      else if (winner !== owner)
        conflicts.push({ type: "subset", about: `${name} of ${host}`, winner, losers: [owner], reason });
    }
  }
  return conflicts;
}
