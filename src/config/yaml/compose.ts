import { Composer, type Document, type ErrorCode, LineCounter, Schema } from "yaml";
import { assert } from "../../lib/assert.ts";
import type { SourceLocation } from "../config.ts";
import { mayHoldAddresses, restoreAddresses } from "./ipv6.ts";
import { maxMessageLength, maxMistakes } from "./limits.ts";
import type { Slice } from "./split.ts";
import { syntaxTree } from "./tokens.ts";

/** A slice parsed into nodes with positions. It needs much memory, so callers use it and drop it. */
export interface Composed {
  readonly document: Document.Parsed;
  readonly text: string;
  readonly mistakes: readonly ParserError[];
  readonly warnings: readonly ParserError[];
  /** Converts an offset in the slice to a place in the file. */
  placeAt(offset: number): SourceLocation;
}

/** An error message of the parser. */
export interface ParserError {
  readonly offset: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Keys are text, as in JSON. Merge keys work as in Kubernetes' own parser. Types are those of JSON, whatever YAML
 * version a directive names. Repeated keys are accepted, because `duplicate-keys.ts` finds them.
 */
const options = {
  prettyErrors: false,
  logLevel: "silent",
  schema: createSchema(),
  stringKeys: true,
  uniqueKeys: false,
} as const;

/** One schema for all documents. It knows only the tags of JSON, and no inherited names of JavaScript objects. */
function createSchema(): Schema {
  const schema = new Schema({ schema: "core", merge: true, resolveKnownTags: false });
  schema.knownTags = Object.create(null) as Schema["knownTags"];
  return schema;
}

/** Parses a slice into nodes. Throws `DocumentRefused` for a document beyond the limits. */
export function compose(slice: Slice, file: string): Composed {
  const lineCounter = new LineCounter();
  const complaints = new Complaints();
  const composer = new Composer(options);
  // The composer's own handler keeps an Error with its stack for every mistake, and there may be millions.
  Object.assign(composer, { onError: complaints.add });
  let document: Document.Parsed | undefined;
  for (const token of syntaxTree(slice.text, lineCounter.addNewLine)) {
    if (token.type === "error") complaints.add(token, "UNEXPECTED_TOKEN", token.message);
    else for (const composed of composer.next(token)) document ??= composed;
  }
  for (const composed of composer.end(true, slice.text.length)) document ??= composed;
  assert(document !== undefined, "a composer that has to make a document makes one");
  for (const { pos, code, message } of document.errors) complaints.add(pos, code, message);
  if (mayHoldAddresses(slice.text)) restoreAddresses(document);
  return {
    document,
    text: slice.text,
    ...complaints.kept,
    placeAt(offset) {
      const { line, col } = lineCounter.linePos(offset);
      return { file, line: slice.line - 1 + Math.max(line, 1), column: Math.max(col, 1) };
    },
  };
}

/** The position of a mistake in the parser: an offset, a range, or a token. */
type MistakeSource = number | readonly number[] | { readonly offset: number };

/** Keeps the first mistakes and warnings, because a hostile document has a mistake per character. */
class Complaints {
  readonly kept = { mistakes: [] as ParserError[], warnings: [] as ParserError[] };

  readonly add = (source: MistakeSource, code: ErrorCode, message: string, isWarning = false): void => {
    const { mistakes, warnings } = this.kept;
    const list = isWarning ? warnings : mistakes;
    if (list.length < maxMistakes) list.push({ offset: offsetOf(source), code, message: shortened(message) });
  };
}

function offsetOf(source: MistakeSource): number {
  if (typeof source === "number") return source;
  return "offset" in source ? source.offset : (source[0] ?? 0);
}

/** Long runs without a space are hardly words: they may be a key. */
const longRun = /[^\s"]{24,}/gu;

/** Some messages quote the text, which may be long, or a secret. */
function shortened(message: string): string {
  const harmless = message.replace(longRun, "…").replace(/-----BEGIN.*$/su, "…");
  return harmless.length > maxMessageLength ? `${harmless.slice(0, maxMessageLength)}…` : harmless;
}
