import { Memo } from "../../lib/memo.ts";
import type { Conflict } from "../model/conflict.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import { subsetConflicts } from "../model/traffic/subset-conflicts.ts";
import { partName, type Generator as ResourceGenerator } from "./generator.ts";

const known = new Memo<readonly Conflict[]>();

/**
 * Every conflict that shows in what these proxies are sent, part after part: each takes a while in a large mesh, so
 * that whoever is in no hurry may let others go first. Parts that proxies share are looked at once.
 */
export function* conflictsAmong(
  proxies: Iterable<Proxy>,
  generators: readonly ResourceGenerator[],
  push: PushContext,
): Generator<readonly Conflict[]> {
  yield subsetConflicts(push);
  const seen = new Set<string>();
  const families = generators.flatMap(({ shortName, families: all }) =>
    all.map((family) => ({ family, type: shortName })),
  );
  for (const proxy of proxies) {
    for (const { family, type } of families) {
      if (family.conflicts === undefined) continue;
      for (const inputs of family.parts(proxy, push, "all")) {
        const key = `${type} ${partName(family, inputs)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        yield known.get([push], key, () => family.conflicts?.(inputs, push) ?? []);
      }
    }
  }
}
