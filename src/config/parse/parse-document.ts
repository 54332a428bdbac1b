import { isMapping } from "../../lib/is-mapping.ts";
import { hasErrors } from "../finding.ts";
import type { Issue } from "../issue.ts";
import type { Slice } from "../yaml/split.ts";
import { readDocument, type YamlDocument } from "../yaml/yaml.ts";
import { type ObjectContext, type ParsedObject, parseObject } from "./parse-object.ts";
import { isList, objectsOf } from "./raw-object.ts";

/** The objects of one document, or of one item of a list. */
export interface ParsedDocument {
  readonly slice: Slice;
  readonly file: string;
  readonly objects: readonly ParsedObject[];
  /** Issues that belong to no object. */
  readonly issues: readonly Issue[];
  /** Whether it has an unusable part whose object is unknown. */
  readonly unidentified: boolean;
  /** The document at its first place, if its text has moved since. */
  readonly movedFrom?: ParsedDocument;
}

export type DocumentContext = Omit<ObjectContext, "readable">;

/** An object with an error yields no config, but issues with their places. Other objects are not affected. */
export function parseDocument(slice: Slice, context: DocumentContext): ParsedDocument {
  const { file } = context;
  const document = readDocument(slice, file);
  if (document === undefined) return { slice, file, objects: [], issues: [], unidentified: false };
  const issues = hasErrors(document.issues) ? document.issues : [...document.issues, ...shapeIssues(document)];
  const readable = !hasErrors(issues);
  const objects = objectsOf(document).map((object) => parseObject(object, { ...context, readable }));
  // A broken list may have lost some of its items.
  const incomplete = !readable && (objects.length === 0 || isList(document.value));
  const unidentified = incomplete || objects.some(({ broken, id }) => broken && id === undefined);
  return { slice, file, objects, issues, unidentified };
}

/** Reports why a document is neither an object nor a list of objects. */
function shapeIssues({ value, locate }: YamlDocument): readonly Issue[] {
  if (!isMapping(value)) {
    const message = "a document must be a mapping with apiVersion, kind, metadata and spec";
    return [{ severity: "error", code: "not-a-mapping", object: "", path: "", message, place: locate("") }];
  }
  if (value["kind"] !== "List" || isList(value)) return [];
  const message = "the items of a List must be a sequence";
  return [{ severity: "error", code: "wrong-type", object: "List", path: "items", message, place: locate("items") }];
}
