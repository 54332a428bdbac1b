import { deepEqual } from "../../lib/equal.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { ObjectFields } from "./object-store.ts";

/** What stores note on objects by themselves. */
const noted = ["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];

export function metadataOf(fields: ObjectFields): Readonly<Record<string, unknown>> {
  return isMapping(fields["metadata"]) ? fields["metadata"] : {};
}

/** The version that an object says it has; undefined when it says none. */
export function versionOf(fields: ObjectFields): string | undefined {
  const version = metadataOf(fields)["resourceVersion"];
  return typeof version === "string" && version !== "" ? version : undefined;
}

/** The same object with more in its metadata; what is undefined there is gone. */
export function withMetadata(fields: ObjectFields, more: Readonly<Record<string, unknown>>): ObjectFields {
  const all = Object.entries({ ...metadataOf(fields), ...more });
  return { ...fields, metadata: Object.fromEntries(all.filter(([, value]) => value !== undefined)) };
}

/** What a person wrote of it. */
export function withoutNotes(fields: ObjectFields): ObjectFields {
  return withMetadata(fields, Object.fromEntries(noted.map((name) => [name, undefined])));
}

export function isSameContent(a: ObjectFields, b: ObjectFields): boolean {
  return deepEqual(withoutNotes(a), withoutNotes(b));
}
