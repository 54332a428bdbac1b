import type { HeldMoments } from "../../app/history/proxy-resources-at.ts";
import { heldMesh } from "../../app/history/proxy-resources-at.ts";
import { type ConfigId, configId } from "../../config/config.ts";
import { kindByCollection } from "../../config/kinds.ts";
import type { MeshAt } from "../../history/history.ts";
import type { StateEntry } from "../../history/moment.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { secretType } from "../../xds/type-urls.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";
import { textTable } from "../text/text-table.ts";
import { timeText } from "./list-moments.ts";
import { objectName } from "./logged-place.ts";

/** A resource of a proxy, and the last change among the objects that it is made from. */
interface BlamedResource {
  readonly type: string;
  readonly name: string;
  readonly moment: number;
  readonly at: string;
  /** The object that changed then. */
  readonly object: string;
  readonly reference: string;
}

/** The resources of a proxy, the newest first. Resources without an owner are from settings and defaults. */
export function blameProxy(held: HeldMoments, proxy: Proxy): readonly BlamedResource[] {
  const newest = ownersIn(held.mesh);
  const blamed = heldMesh(held)
    .resourcesFor(proxy)
    .flatMap(({ typeUrl, shortName, resources }) => {
      const mesh = held.older.get(shortName)?.mesh;
      const owners = mesh === undefined ? newest : ownersIn(mesh);
      const type = proxyResourceTypes.find((known) => known.typeUrl === typeUrl)?.name ?? shortName.toLowerCase();
      if (typeUrl === secretType) return [];
      return resources.flatMap((resource) => {
        const entries = resource.owners.flatMap((id) => owners.get(id) ?? []);
        const [last] = entries.toSorted((a, b) => b.since.number - a.since.number);
        return last === undefined ? [] : [blamedResource(type, resource.name, last)];
      });
    });
  return blamed.toSorted((a, b) => b.moment - a.moment);
}

function blamedResource(type: string, name: string, last: StateEntry): BlamedResource {
  const { since, reference } = last;
  return { type, name, moment: since.number, at: timeText(since.at), object: objectName(last), reference };
}

/** The objects by the ids under which resources name their owners. */
function ownersIn({ entries }: MeshAt): ReadonlyMap<ConfigId, StateEntry> {
  return new Map([...entries.values()].map((entry) => [ownerId(entry), entry]));
}

function ownerId({ collection, key }: Pick<StateEntry, "collection" | "key">): ConfigId {
  const [name = "", namespace = ""] = key.split("/").toReversed();
  return configId(kindByCollection(collection)?.kind ?? "Service", namespace, name);
}

export function blamedText(resources: readonly BlamedResource[]): string {
  const rows = resources.map((each) => [
    String(each.moment),
    each.at,
    `${each.type} ${each.name}`,
    each.object,
    each.reference,
  ]);
  return textTable(["MOMENT", "TIME", "RESOURCE", "OBJECT", "FROM"], rows);
}
