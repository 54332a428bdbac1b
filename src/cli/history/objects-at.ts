import type { MeshAt } from "../../history/history.ts";
import { isSealed } from "../../history/logged-object.ts";
import type { StateEntry } from "../../history/moment.ts";
import { yamlOf } from "../../history/object-lines.ts";
import { compareTexts } from "../../lib/compare.ts";
import { MeshError } from "../../lib/errors.ts";
import type { ComparedThing } from "../diff/difference.ts";
import { textTable } from "../text/text-table.ts";
import { timeText } from "./list-moments.ts";
import { objectName } from "./logged-place.ts";

/** An object in force as the command prints it. */
interface ShownEntry {
  readonly object: string;
  readonly source: string;
  readonly reference: string;
  readonly author?: string;
  readonly revision?: string;
  /** The moment that last changed it. */
  readonly since: { readonly moment: number; readonly at: string };
}

/** All objects in force, by name. */
export function shownEntries({ entries }: MeshAt): readonly ShownEntry[] {
  return [...entries.values()].map(shownEntry).toSorted((a, b) => compareTexts(a.object, b.object));
}

export function entriesText(entries: readonly ShownEntry[], form: "text" | "wide"): string {
  const isWide = form === "wide";
  const head = ["OBJECT", "SINCE", "MOMENT", "FROM", ...(isWide ? ["AUTHOR", "REVISION", "SOURCE"] : [])];
  const rows = entries.map(({ object, since, reference, author = "", revision = "", source }) => [
    object,
    since.at,
    String(since.moment),
    reference,
    ...(isWide ? [author, revision, source] : []),
  ]);
  return textTable(head, rows);
}

/** One object with its content. Throws `not-found`. */
export function shownObject(mesh: MeshAt, place: string, text: string) {
  const entry = mesh.entries.get(place);
  if (entry === undefined) throw notFound(mesh, text);
  const object = mesh.objectOf(entry);
  if (object === undefined) throw new MeshError("unavailable", `the record of ${text} is damaged`);
  const { apiVersion, kind, name, namespace, labels, annotations, spec, redacted } = object;
  const metadata = { name, namespace, labels, annotations };
  const content = { apiVersion, kind, metadata, spec };
  return { ...shownEntry(entry), redacted: redacted === true, content, yaml: yamlOf(object) };
}

export function notFound({ moment }: MeshAt, text: string): MeshError {
  return new MeshError("not-found", `${text} was not in force at moment ${moment.number}, ${timeText(moment.at)}`);
}

/** The objects of one moment, for a comparison. Without a place, all of them. */
export function comparedObjects(mesh: MeshAt, place: string | undefined): readonly ComparedThing[] {
  const entries = [...mesh.entries].filter(([key]) => place === undefined || key === place);
  return entries.map(([key, entry]) => ({
    id: key,
    name: objectName(entry),
    reference: entry.reference,
    version: entry.object,
    content: contentOf(mesh, entry),
  }));
}

/** Differences are of fields: text of authors may differ where nothing else does. */
function contentOf(mesh: MeshAt, entry: StateEntry): unknown {
  const object = mesh.objectOf(entry);
  if (object === undefined) return { damaged: entry.object };
  const { labels, annotations, spec, version } = object;
  // The content that is not logged shows in the version only.
  return { metadata: { labels, annotations }, spec, ...(isSealed(object) && { version }) };
}

function shownEntry(entry: StateEntry): ShownEntry {
  const { source, reference, author, revision, since } = entry;
  return {
    object: objectName(entry),
    source,
    reference,
    ...(author !== undefined && { author }),
    ...(revision !== undefined && { revision }),
    since: { moment: since.number, at: timeText(since.at) },
  };
}
