import type { Message } from "@bufbuild/protobuf";
import { append } from "../../lib/append.ts";
import type { Config, ConfigId } from "../config.ts";
import { duplicateIssue, type Issue } from "../issue.ts";
import { isBinary } from "../yaml/characters.ts";
import { maxIssuesOfFile } from "../yaml/limits.ts";
import { type Slice, splitDocuments } from "../yaml/split.ts";
import { firstOf, moreIssues } from "./first-issues.ts";
import { type DocumentContext, type ParsedDocument, parseDocument } from "./parse-document.ts";
import { splitList } from "./parse-list.ts";
import { movedDocument } from "./parse-moved.ts";
import type { ParsedObject } from "./parse-object.ts";
import { withTemplatesNamed } from "./templates.ts";

/**
 * `file` is the name of the file in places, as the user wrote it. `source` is the name of the source in origins.
 * Objects of kinds outside `kinds` are ignored with a warning.
 */
export interface ParseInput extends DocumentContext {
  readonly text: string;
  /** The last result for the file in the same context. Only changed documents are read again. */
  readonly previous?: ParsedFile | undefined;
}

export interface ParsedFile {
  /** In file order, at most one per object. */
  readonly configs: readonly Config<Message>[];
  readonly issues: readonly Issue[];
  /** Objects whose last document in the file is unusable. Callers may keep their last good version. */
  readonly broken: ReadonlySet<ConfigId>;
  /** The objects that replace broken objects without an earlier version. */
  readonly substitutes: ReadonlyMap<ConfigId, Config<Message>>;
  /** Whether the file has another unusable part whose object is unknown. */
  readonly unidentified: boolean;
  readonly documents: readonly ParsedDocument[];
}

/**
 * Reads the configuration objects of one file. Never throws. An object or document with an error yields no config, an
 * entry in `broken`, and issues with their places. Other objects are not affected.
 */
export function parseConfigs(input: ParseInput): ParsedFile {
  const steps = parseStepwise(input);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Reads one document per step, for large files. The caller may do other work between the steps. */
export function* parseStepwise(input: ParseInput): Generator<void, ParsedFile> {
  if (isBinary(input.text)) return unreadableFile(binaryIssue(input.file));
  const known = new Map(input.previous?.documents.map((document) => [document.slice.text, document]));
  const documents: ParsedDocument[] = [];
  for (const slice of slicesOf(input.text)) {
    const earlier = known.get(slice.text);
    documents.push(earlier ? movedDocument(earlier, slice, input.file) : parseDocument(slice, input));
    yield;
  }
  return joined(documents);
}

/** The content is unknown, so callers may keep the earlier objects. */
function unreadableFile(issue: Issue): ParsedFile {
  return { configs: [], issues: [issue], broken: new Set(), substitutes: new Map(), unidentified: true, documents: [] };
}

function binaryIssue(file: string): Issue {
  const message = "this file is binary, or not in UTF-8, and is ignored";
  const remark = { code: "binary-file", message, hint: "save it as UTF-8, or move it elsewhere" } as const;
  return { severity: "error", object: "", path: "", place: { file, line: 1, column: 1 }, ...remark };
}

function* slicesOf(text: string): Iterable<Slice> {
  for (const slice of splitDocuments(text)) yield* splitList(slice) ?? [slice];
}

function joined(documents: readonly ParsedDocument[]): ParsedFile {
  const configs = new Map<ConfigId, Config<Message>>();
  const broken = new Set<ConfigId>();
  const substitutes = new Map<ConfigId, Config<Message>>();
  const issues: Issue[] = [];
  const add = ({ config, id, substitute, ...object }: ParsedObject): void => {
    append(issues, object.issues);
    if (id === undefined) return;
    if (object.broken) broken.add(id);
    if (substitute !== undefined) substitutes.set(id, substitute);
    if (config === undefined) return;
    const earlier = configs.get(id);
    if (earlier !== undefined) issues.push(duplicateIssue(config, { winner: config, loser: earlier }));
    // Delete first, so that the map has the order of the winners.
    configs.delete(id);
    configs.set(id, config);
    broken.delete(id);
    substitutes.delete(id);
  };
  for (const document of documents) {
    append(issues, document.issues);
    document.objects.forEach(add);
  }
  const unidentified = documents.some((document) => document.unidentified);
  const told = withTemplatesNamed(issues, documents);
  return { configs: [...configs.values()], issues: firstIssues(told), broken, substitutes, unidentified, documents };
}

/** Objects that are not mesh configuration do not count, because people see one line for all of them. */
function firstIssues(issues: readonly Issue[]): readonly Issue[] {
  const { kept, left } = firstOf(
    issues.filter(({ code }) => code !== "ignored-kind"),
    maxIssuesOfFile,
  );
  if (left.length === 0) return issues;
  const ignored = issues.filter(({ code }) => code === "ignored-kind");
  return [...kept, ...ignored, moreIssues(left, { object: "", place: left[0]?.place })];
}
