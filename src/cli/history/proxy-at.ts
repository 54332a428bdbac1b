import { sourceAt } from "../../app/history/source-at.ts";
import { type OfflineMesh, readMesh } from "../../app/offline/read-mesh.ts";
import { type ConfigId, configId } from "../../config/config.ts";
import { kindByCollection } from "../../config/kinds.ts";
import type { MeshAt } from "../../history/history.ts";
import type { StateEntry } from "../../history/moment.ts";
import { counted } from "../../lib/counted.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { secretType } from "../../xds/type-urls.ts";
import type { Terminal } from "../command.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";
import { textTable } from "../text/text-table.ts";
import { timeText } from "./list-moments.ts";
import { objectName } from "./logged-place.ts";

/** The pipeline with the objects and settings of a moment. Says which objects are not as they were. */
export async function meshOf(mesh: MeshAt, { complain }: Pick<Terminal, "complain">): Promise<OfflineMesh> {
  const { source, missing, redacted } = sourceAt(mesh);
  const others = redacted.filter(({ collection }) => kindByCollection(collection)?.builtIn !== true);
  if (missing.length > 0) complain(`warning: ${counted(missing.length, "object")} cannot be read: ${namesOf(missing)}`);
  if (others.length > 0) complain(`note: keys or tokens were left out of ${namesOf(others)}`);
  return await readMesh({ inputs: [], sources: [source], mesh: undefined, ...mesh.settings });
}

function namesOf(entries: readonly StateEntry[]): string {
  return entries.map(objectName).join(", ");
}

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
export function blameProxy(mesh: MeshAt, offline: OfflineMesh, proxy: Proxy): readonly BlamedResource[] {
  const byOwner = new Map([...mesh.entries.values()].map((entry) => [ownerId(entry), entry]));
  const blamed = offline.resourcesFor(proxy).flatMap(({ typeUrl, shortName, resources }) =>
    resources.flatMap(({ name, owners }) => {
      const entries = owners.flatMap((id) => byOwner.get(id) ?? []);
      const [newest] = entries.toSorted((a, b) => b.since.number - a.since.number);
      if (newest === undefined || typeUrl === secretType) return [];
      const type = proxyResourceTypes.find((known) => known.typeUrl === typeUrl)?.name ?? shortName.toLowerCase();
      const { since, reference } = newest;
      return { type, name, moment: since.number, at: timeText(since.at), object: objectName(newest), reference };
    }),
  );
  return blamed.toSorted((a, b) => b.moment - a.moment);
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

/** The id under which resources name their owners. */
function ownerId({ collection, key }: Pick<StateEntry, "collection" | "key">): ConfigId {
  const [name = "", namespace = ""] = key.split("/").toReversed();
  return configId(kindByCollection(collection)?.kind ?? "Service", namespace, name);
}
