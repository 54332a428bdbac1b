import type { Message } from "@bufbuild/protobuf";
import { append } from "../../lib/append.ts";
import type { Config, ConfigId } from "../config.ts";
import { duplicateIssue, type Issue } from "../issue.ts";
import { maxIssuesOfFile } from "../yaml/limits.ts";
import { type Slice, splitDocuments } from "../yaml/split.ts";
import { firstOf, moreIssues } from "./first-issues.ts";
import { type DocumentContext, type ParsedDocument, parseDocument } from "./parse-document.ts";
import { splitList } from "./parse-list.ts";
import { movedDocument } from "./parse-moved.ts";
import type { ParsedObject } from "./parse-object.ts";

/**
 * `file` is the name of the file for places, as the user wrote it; `source` that of the source, for origins. Objects
 * of other than the `kinds` are reported as a warning and ignored.
 */
export interface ParseInput extends DocumentContext {
  readonly text: string;
  /** What came of the file when it was last read, in the same context: only documents that changed are read again. */
  readonly previous?: ParsedFile | undefined;
}

export interface ParsedFile {
  /** In file order, at most one per object. */
  readonly configs: readonly Config<Message>[];
  readonly issues: readonly Issue[];
  /** Objects whose last document in the file cannot be used. Whoever holds their last good version may keep it. */
  readonly broken: ReadonlySet<ConfigId>;
  /** Whether something more cannot be used, and nobody can tell which object it is. */
  readonly unidentified: boolean;
  readonly documents: readonly ParsedDocument[];
}

/**
 * Reads the configuration objects of one file. Never throws. An object or document with an error yields no config,
 * an entry in `broken`, and issues with their places; its neighbours are not touched by it.
 */
export function parseConfigs(input: ParseInput): ParsedFile {
  const steps = parseStepwise(input);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same a document at a time, for large files: whoever has more to do may do it between the steps. */
export function* parseStepwise(input: ParseInput): Generator<void, ParsedFile> {
  const known = new Map(input.previous?.documents.map((document) => [document.slice.text, document]));
  const documents: ParsedDocument[] = [];
  for (const slice of slicesOf(input.text)) {
    const earlier = known.get(slice.text);
    documents.push(earlier ? movedDocument(earlier, slice, input.file) : parseDocument(slice, input));
    yield;
  }
  return joined(documents);
}

function* slicesOf(text: string): Iterable<Slice> {
  for (const slice of splitDocuments(text)) yield* splitList(slice) ?? [slice];
}

function joined(documents: readonly ParsedDocument[]): ParsedFile {
  const configs = new Map<ConfigId, Config<Message>>();
  const broken = new Set<ConfigId>();
  const issues: Issue[] = [];
  const add = ({ config, id, ...object }: ParsedObject): void => {
    append(issues, object.issues);
    if (id === undefined) return;
    if (object.broken) broken.add(id);
    if (config === undefined) return;
    const earlier = configs.get(id);
    if (earlier !== undefined) issues.push(duplicateIssue(config, { winner: config, loser: earlier }));
    // Deleted first, so that the order of the map is the order of the winners.
    configs.delete(id);
    configs.set(id, config);
    broken.delete(id);
  };
  for (const document of documents) {
    append(issues, document.issues);
    document.objects.forEach(add);
  }
  const unidentified = documents.some((document) => document.unidentified);
  return { configs: [...configs.values()], issues: firstIssues(issues), broken, unidentified, documents };
}

function firstIssues(issues: readonly Issue[]): readonly Issue[] {
  const { kept, left } = firstOf(issues, maxIssuesOfFile);
  return left.length === 0 ? issues : [...kept, moreIssues(left, { object: "", place: left[0]?.place })];
}
