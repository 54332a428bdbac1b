import { isMapping } from "../../lib/is-mapping.ts";
import { fieldPath } from "../field-path.ts";
import type { Locate, YamlDocument } from "../yaml/yaml.ts";

/** One Kubernetes-style object as written, with the places of its fields. */
export interface RawObject {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The text of its document or list item. */
  readonly text: string;
  readonly locate: Locate;
  readonly locateLater: Locate;
}

interface List {
  readonly apiVersion: unknown;
  readonly kind: string;
  readonly items: readonly unknown[];
}

/** `List`, or a typed list such as `GatewayList`, whose items may omit their kind. */
export function isList(raw: unknown): raw is List {
  return (
    isMapping(raw) && typeof raw["kind"] === "string" && raw["kind"].endsWith("List") && Array.isArray(raw["items"])
  );
}

/** The objects of a document: itself, or the items of a list, each with its own places. */
export function objectsOf({ value, text, locate, locateLater }: YamlDocument): readonly RawObject[] {
  return isMapping(value) ? objectsIn({ fields: value, text, locate, locateLater }) : [];
}

function objectsIn(object: RawObject): readonly RawObject[] {
  if (!isList(object.fields)) return [{ ...object, locateLater: rememberName(object) }];
  const { apiVersion, kind } = object.fields;
  const inherited = kind === "List" ? {} : { apiVersion, kind: kind.slice(0, -"List".length) };
  return object.fields.items.flatMap((item, index) => {
    const at = fieldPath("items", index);
    return objectsIn({
      fields: isMapping(item) ? { ...inherited, ...item } : {},
      text: object.text,
      locate: locateWithin(object.locate, at),
      locateLater: locateWithin(object.locateLater, at),
    });
  });
}

/** Caches the place of the name. Thousands of duplicate objects need it, and reading each again is slow. */
function rememberName({ locate, locateLater }: RawObject): Locate {
  const name = locate("metadata.name");
  return (path) => (path === "metadata.name" ? name : locateLater(path));
}

function locateWithin(locate: Locate, base: string): Locate {
  return (path) => locate(path === "" ? base : `${base}.${path}`);
}
