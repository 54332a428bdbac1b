import type { PushContext } from "../pilot/model/push-context.ts";
import { type Conflict, mergeConflicts } from "../pilot/model/conflict.ts";
import { conflictsAmong } from "../pilot/xds/conflicts.ts";
import type { FleetOptions } from "./fleet.ts";
import type { ConflictChange } from "./plan.ts";

type Compared = Pick<FleetOptions, "before" | "after" | "generators" | "proxies" | "turn">;

/** The conflicts that only one side has. A conflict with another winner ends, and a new one begins. */
export async function conflictChanges({ before, after, ...around }: Compared): Promise<readonly ConflictChange[]> {
  const [was, is] = [await conflictsIn(before, around), await conflictsIn(after, around)];
  return [
    ...[...is].filter(([key]) => !was.has(key)).map(([, conflict]) => ({ change: "new" as const, ...conflict })),
    ...[...was].filter(([key]) => !is.has(key)).map(([, conflict]) => ({ change: "ended" as const, ...conflict })),
  ];
}

async function conflictsIn(
  push: PushContext,
  { generators, proxies, turn }: Omit<Compared, "before" | "after">,
): Promise<ReadonlyMap<string, Conflict>> {
  const found: Conflict[] = [];
  const all = conflictsAmong(
    proxies.map(({ proxy }) => proxy),
    generators,
    push,
  );
  for (const some of all) {
    for (const conflict of some) found.push(conflict);
    await turn();
  }
  return new Map(mergeConflicts(found).map((conflict) => [JSON.stringify(conflict), conflict]));
}
