import type { Place } from "./config.ts";
import type { Issue } from "./issue.ts";
import { type Composed, compose } from "./yaml/compose.ts";
import { locateIn } from "./yaml/position.ts";
import { type Slice, splitDocuments } from "./yaml/split.ts";
import { syntaxIssues } from "./yaml/syntax.ts";

/** One document of a file. It remembers its text, not a tree of nodes: places are computed when asked for. */
export interface YamlDocument {
  /** JSON-compatible. With errors among the issues it is a best guess, good only for telling which object was meant. */
  readonly value: unknown;
  /** Where its content starts, counted from 1. */
  readonly line: number;
  readonly issues: readonly Issue[];
  /** The place of a field such as `spec.http[0].route[1].weight`, or of its nearest existing ancestor. */
  locate(path: string): Place;
}

/**
 * Reads all documents of a file. Never throws: what is wrong with a document is among its issues, and says nothing
 * about its neighbours. Empty documents are left out.
 */
export function parseDocuments(text: string, file: string): readonly YamlDocument[] {
  const withoutMark = text.startsWith("\uFEFF") ? text.slice(1) : text;
  return splitDocuments(withoutMark).flatMap((slice) => parseSlice(slice, file) ?? []);
}

function parseSlice(slice: Slice, file: string): YamlDocument | undefined {
  const locate = (path: string): Place => locateIn(slice, file, path);
  try {
    const composed = compose(slice, file);
    const issues = syntaxIssues(composed);
    const contents = composed.document.contents;
    const value = plainValue(composed, issues);
    if (value === null && issues.length === 0) return undefined;
    const { line } = composed.placeAt(contents?.range[0] ?? 0);
    return { value, line, issues, locate };
  } catch (cause) {
    // Nesting deeper than the parser's stack; everything else it reports as errors of the document.
    const place = { file, line: slice.line, column: 1 };
    const message = `this document cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
    const issue: Issue = { severity: "error", code: "bad-yaml", object: "", path: "", message, place };
    return { value: undefined, line: slice.line, issues: [issue], locate: () => place };
  }
}

/** Aliases were checked before, so they need no second limit; with alias problems there is no value to be had. */
function plainValue(composed: Composed, issues: readonly Issue[]): unknown {
  if (issues.some(({ code }) => aliasCodes.has(code))) return undefined;
  return composed.document.toJS({ maxAliasCount: -1 }) as unknown;
}

const aliasCodes: ReadonlySet<string> = new Set(["unknown-anchor", "recursive-alias", "alias-bomb"]);
