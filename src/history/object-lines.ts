import { kindByCollection } from "../config/kinds.ts";
import { toYaml } from "../config/yaml/to-yaml.ts";
import { isMapping } from "../lib/is-mapping.ts";
import type { LoggedObject } from "./logged-object.ts";

/** The YAML of an object: as its author wrote it, or printed. Ends with a line break. */
export function yamlOf(object: LoggedObject): string {
  return object.text ?? printedYaml(object);
}

function printedYaml(object: LoggedObject): string {
  const { apiVersion, kind, name, namespace, labels, annotations, spec } = object;
  const metadata = {
    name,
    ...(namespace !== "" && { namespace }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
  const isWhole = kindByCollection(object.collection)?.body === "object";
  return `${toYaml({ apiVersion, kind, metadata, ...(isWhole ? withoutIdentity(spec) : { spec }) })}\n`;
}

/** A message that is the whole object has its metadata, too. */
function withoutIdentity(body: unknown): object {
  if (!isMapping(body)) return {};
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = body;
  return rest;
}
