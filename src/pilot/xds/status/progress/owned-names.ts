import type { ConfigId } from "../../../../config/config.ts";
import { oncePer } from "../../../../lib/memo.ts";
import type { ResourceSet } from "../../../../xds/resources/resource-set.ts";
import type { Target } from "../../../../xds/resources/target.ts";
import { configOwners } from "../suspects.ts";

/** The names of the resources that are built from the object. */
export function namesOwnedIn(target: Target, id: ConfigId): readonly string[] {
  return target.flatMap((set) => namesByOwner(set).get(id) ?? []);
}

/** Sets are shared by many proxies and never change, so each is looked through once. */
const namesByOwner = oncePer((set: ResourceSet): ReadonlyMap<ConfigId, readonly string[]> => {
  const names = new Map<ConfigId, string[]>();
  for (const resource of set) {
    for (const owner of configOwners(resource)) {
      const owned = names.get(owner);
      if (owned === undefined) names.set(owner, [resource.name]);
      else owned.push(resource.name);
    }
  }
  return names;
});
