import { type ConfigId, configId, type SourceLocation } from "../../config/config.ts";
import { hasErrors } from "../../config/finding.ts";
import type { Issue } from "../../config/issue.ts";
import { kindOf, kinds } from "../../config/kinds.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { splitList } from "../../config/parse/parse-list.ts";
import { parseObject } from "../../config/parse/parse-object.ts";
import { objectsOf } from "../../config/parse/raw-object.ts";
import { splitDocuments } from "../../config/yaml/split.ts";
import { readDocument } from "../../config/yaml/yaml.ts";
import { append } from "../../lib/append.ts";
import type { SourceText } from "../offline/text-source.ts";
import { versionOf, withMetadata } from "./object-fields.ts";
import { objectText } from "./object-id.ts";
import type { ObjectWrite } from "./object-store.ts";

/** The objects of some files, for a store. */
export interface ObjectsRead {
  readonly writes: readonly ObjectWrite[];
  /** The problems found. If one of them is an error, nothing should be written. */
  readonly issues: readonly Issue[];
}

/** Reads the objects of some files as a server would, and keeps them as they are written. */
export function readObjects(files: readonly SourceText[], defaultNamespace: string): ObjectsRead {
  const issues: Issue[] = [];
  const found = new Map<ConfigId, { readonly write: ObjectWrite; readonly place: SourceLocation }>();
  for (const { file, text } of files) {
    const context = { file, source: file, kinds, defaultNamespace };
    append(
      issues,
      parseConfigs({ text, ...context }).issues.filter(({ code }) => code !== "duplicate-object"),
    );
    for (const { id, write, place } of objectsIn(text, context)) {
      const earlier = found.get(id);
      if (earlier === undefined) found.set(id, { write, place });
      else issues.push(duplicate(write, place, earlier.place));
    }
  }
  return { writes: Array.from(found.values(), ({ write }) => write), issues };
}

type Context = Pick<Parameters<typeof parseObject>[1], "file" | "source" | "kinds" | "defaultNamespace">;

function* objectsIn(text: string, context: Context) {
  const slices = [...splitDocuments(text)].flatMap((slice) => splitList(slice) ?? [slice]);
  for (const slice of slices) {
    const document = readDocument(slice, context.file);
    if (document === undefined || hasErrors(document.issues)) continue;
    for (const object of objectsOf(document)) {
      const { config, place } = parseObject(object, { ...context, readable: true });
      const kind = config && kindOf(config.apiVersion, config.kind);
      if (config === undefined || kind === undefined) continue;
      const { namespace, name } = config;
      const fields = withMetadata(object.fields, { namespace: namespace === "" ? undefined : namespace });
      const write: ObjectWrite = { id: { kind, namespace, name }, fields, version: versionOf(fields) };
      yield { id: configId(kind.collection, namespace, name), write, place };
    }
  }
}

/** Two objects with one name are an issue, because we cannot guess which one to write. */
function duplicate({ id }: ObjectWrite, place: SourceLocation, earlier: SourceLocation): Issue {
  return {
    severity: "error",
    code: "duplicate-object",
    object: objectText(id),
    path: "metadata.name",
    message: `also at ${earlier.file}:${earlier.line}`,
    place,
  };
}
