import { fieldPath } from "./field-path.ts";
import type { Locate, YamlDocument } from "./yaml.ts";

/** One Kubernetes-style object as it was written, and where its fields stand. */
export interface RawObject {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly locate: Locate;
  readonly locateLater: Locate;
}

export function isMapping(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}

/** The objects of a document: itself, or the items of a `List`, each with its own places. */
export function objectsOf(document: YamlDocument): readonly RawObject[] {
  const { value, locate, locateLater } = document;
  if (!isMapping(value)) return [];
  const items = value["items"];
  if (!isList(value) || !Array.isArray(items)) return [{ fields: value, locate, locateLater }];
  return items.map((item: unknown, index) => ({
    fields: isMapping(item) ? item : {},
    locate: locateWithin(locate, fieldPath("items", index)),
    locateLater: locateWithin(locateLater, fieldPath("items", index)),
  }));
}

function locateWithin(locate: Locate, base: string): Locate {
  return (path) => locate(path === "" ? base : `${base}.${path}`);
}

/** `List`, or a typed list such as `GatewayList`, as `kubectl get -o yaml` writes them. */
function isList(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value["kind"] === "string" && value["kind"].endsWith("List");
}
