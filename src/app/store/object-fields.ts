import { deepEqual } from "../../lib/equal.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { ObjectFields } from "./object-store.ts";

/** Metadata that stores add to objects. */
const noted = ["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];

export function metadataOf(fields: ObjectFields): Readonly<Record<string, unknown>> {
  return isMapping(fields["metadata"]) ? fields["metadata"] : {};
}

/** The version in the metadata of an object; undefined without one. */
export function versionOf(fields: ObjectFields): string | undefined {
  const version = metadataOf(fields)["resourceVersion"];
  return typeof version === "string" && version !== "" ? version : undefined;
}

/** The same object with more metadata. An undefined value removes its key. */
export function withMetadata(fields: ObjectFields, more: Readonly<Record<string, unknown>>): ObjectFields {
  const all = Object.entries({ ...metadataOf(fields), ...more });
  return { ...fields, metadata: Object.fromEntries(all.filter(([, value]) => value !== undefined)) };
}

/** The object as the user wrote it. */
export function withoutNotes(fields: ObjectFields): ObjectFields {
  return withMetadata(fields, Object.fromEntries(noted.map((name) => [name, undefined])));
}

export function isSameContent(a: ObjectFields, b: ObjectFields): boolean {
  return deepEqual(withoutNotes(a), withoutNotes(b));
}

/** A copy of a Secret with a placeholder for each value, and without annotations, which may repeat them. */
export function withoutSecrets(fields: ObjectFields): ObjectFields {
  const shown = Object.entries(withMetadata(fields, { annotations: undefined })).map(([field, value]) => {
    const isContent = field === "data" || field === "stringData";
    return [field, isContent && isMapping(value) ? redacted(value) : value] as const;
  });
  return Object.fromEntries(shown);
}

function redacted(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(values).map((key) => [key, "[redacted]"]));
}
