import type { ObjectId } from "../../app/store/object-id.ts";
import type { ObjectStore, ObjectWrite, Report } from "../../app/store/object-store.ts";
import { readObjects } from "../../app/store/read-objects.ts";
import type { SourceText } from "../../app/offline/text-source.ts";
import { configKey } from "../../config/config.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { meshNetworks } from "../../config/kinds/mesh-networks.ts";
import { kindByCollection, kinds } from "../../config/kinds.ts";
import { isRefused } from "../../config/finding.ts";
import type { MeshAt } from "../../history/history.ts";
import { isSealed, type LoggedObject } from "../../history/logged-object.ts";
import { placeKey, type StateEntry } from "../../history/moment.ts";
import { yamlOf } from "../../history/object-lines.ts";
import { counted } from "../../lib/counted.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Terminal } from "../command.ts";
import { issueText } from "../issues/issue-text.ts";
import { objectName } from "./logged-place.ts";

/** Objects of a moment as their authors wrote them, and those that cannot be restored. */
export interface Restorable {
  readonly texts: readonly SourceText[];
  /** A key was left out of them, or their records are damaged. */
  readonly left: readonly StateEntry[];
}

/** Files of the mesh and the state of a cluster are not restored: their owners write them. */
function isRestorable({ collection }: StateEntry): boolean {
  const row = kindByCollection(collection);
  const isFile = collection === meshConfig.collection || collection === meshNetworks.collection;
  return row !== undefined && row.builtIn !== true && !isFile;
}

/** The objects at these places, or without places all that users write. Throws `not-found`. */
export function restorable(mesh: MeshAt, places: ReadonlyMap<string, string>): Restorable {
  for (const [place, text] of places) {
    if (!mesh.entries.has(place)) throw new MeshError("not-found", `${text} was not in force then`);
  }
  const all = [...mesh.entries.values()].filter(isRestorable);
  const wanted = places.size === 0 ? all : all.filter((entry) => places.has(placeKey(entry)));
  const texts: SourceText[] = [];
  const left: StateEntry[] = [];
  for (const entry of wanted) {
    const object = mesh.objectOf(entry);
    if (object === undefined || isSealed(object)) left.push(entry);
    else texts.push({ file: objectName(entry), text: inItsNamespace(object) });
  }
  return { texts, left };
}

/**
 * The text of an object in its namespace. The author may have left the namespace to the source, which is not there when
 * the object is written elsewhere. Where it cannot be written into the text, the object is printed without the text.
 */
function inItsNamespace(object: LoggedObject): string {
  const { text: _text, ...untold } = object;
  const { namespace } = object;
  const written = yamlOf(object);
  const named = [
    written,
    written.replace(/^metadata:[ \t]*\{/mu, `metadata: { namespace: ${namespace},`),
    written.replace(/^metadata:[ \t]*\n([ \t]+)/mu, `metadata:\n$1namespace: ${namespace}\n$1`),
  ];
  return named.find((text) => namespaceIn(text) === namespace) ?? yamlOf(untold);
}

/** The namespace in which an object of this text would be written. Undefined if the text has no valid object. */
function namespaceIn(text: string): string | undefined {
  const { writes } = readObjects([{ file: "", text }], "default");
  return writes[0]?.id.namespace;
}

export function complainOfLeft(left: readonly StateEntry[], { complain }: Pick<Terminal, "complain">): void {
  if (left.length === 0) return;
  complain(`${counted(left.length, "object")} cannot be restored: ${left.map(objectName).join(", ")}`);
}

/** The objects for a store, valid as a whole. Undefined if one of them is not valid today; says why. */
export function writesOf(
  texts: readonly SourceText[],
  { complain, coloured }: Terminal,
): readonly ObjectWrite[] | undefined {
  const { writes, issues } = readObjects(texts, "default");
  if (!isRefused(issues)) return writes.map((write) => ({ ...write, version: undefined }));
  const known = new Map(texts.map(({ file, text }) => [file, text]));
  for (const issue of issues)
    complain(issueText(issue, { textOf: (file) => known.get(file), coloured: coloured.complain }));
  return undefined;
}

export interface RestoreOptions {
  readonly dryRun: boolean;
  /** Whether objects that were not there at the moment are deleted. */
  readonly prune: boolean;
}

/** Objects of a moment that are written, and those that cannot be. */
interface RestoredObjects extends Pick<Restorable, "left"> {
  readonly writes: readonly ObjectWrite[];
}

/** Writes the objects into a store. An object of the moment that cannot be written is never deleted. */
export async function restoreInto(
  store: ObjectStore,
  { writes, left }: RestoredObjects,
  { dryRun, prune }: RestoreOptions,
): Promise<Report> {
  const written = await store.apply(writes, { dryRun, force: true });
  if (!prune) return written;
  const kept = new Set([...writes.map(({ id }) => placeOf(id)), ...left.map(placeKey)]);
  const restored = kinds.filter((kind) => kind.builtIn !== true);
  const found = (await Promise.all(restored.map((kind) => store.list(kind, undefined)))).flat();
  const extra = found.filter(({ id }) => !kept.has(placeOf(id)));
  const gone = await store.delete(
    extra.map(({ id, version }) => ({ id, version })),
    { dryRun, force: false },
  );
  return {
    outcomes: [...written.outcomes, ...gone.outcomes],
    note: [written.note, gone.note].filter(Boolean).join("; "),
  };
}

function placeOf({ kind, namespace, name }: ObjectId): string {
  return placeKey({ collection: kind.collection, key: configKey({ namespace, name }) });
}
