import { errorFrom } from "../lib/errors.ts";
import type { Place } from "./config.ts";
import type { Issue } from "./issue.ts";
import { type Composed, compose } from "./yaml/compose.ts";
import { locateIn } from "./yaml/position.ts";
import { type Slice, splitDocuments } from "./yaml/split.ts";
import { syntaxIssues } from "./yaml/syntax.ts";

/** Finds the place of a field such as `spec.http[0].route[1].weight`, or of its nearest existing ancestor. */
export type Locate = (path: string) => Place;

/** One document of a file. */
export interface YamlDocument {
  /** JSON-compatible. With errors among the issues it is a best guess, good only for telling which object was meant. */
  readonly value: unknown;
  /** Where its content starts, counted from 1. */
  readonly line: number;
  readonly issues: readonly Issue[];
  /** Quick, for as long as the document is at hand: it holds all nodes. */
  readonly locate: Locate;
  /** The same for keeping: it holds only the text, and reads it again when asked. */
  readonly locateLater: Locate;
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
  try {
    const composed = compose(slice, file);
    const issues = syntaxIssues(composed);
    const value = plainValue(composed, issues);
    if (value === null && issues.length === 0) return undefined;
    return {
      value,
      line: locateIn(composed, "").line,
      issues,
      locate: locateByNodes(composed),
      locateLater: locateByText(slice, file),
    };
  } catch (cause) {
    return unreadable({ file, line: slice.line, column: 1 }, cause);
  }
}

function locateByNodes(composed: Composed): Locate {
  return (path) => locateIn(composed, path);
}

/** Apart from {@link locateByNodes} on purpose: closures of one function share, and so keep, all it captured. */
function locateByText(slice: Slice, file: string): Locate {
  return (path) => locateIn(compose(slice, file), path);
}

/** Nesting deeper than our stack, say: everything ordinary is among the issues of a document. */
function unreadable(place: Place, cause: unknown): YamlDocument {
  const message = `this document cannot be read: ${errorFrom(cause).message}`;
  const issue: Issue = { severity: "error", code: "bad-yaml", object: "", path: "", message, place };
  const locate = (): Place => place;
  return { value: undefined, line: place.line, issues: [issue], locate, locateLater: locate };
}

const aliasCodes: ReadonlySet<string> = new Set(["unknown-anchor", "recursive-alias", "alias-bomb"]);

/** Aliases were checked before, so they need no second limit; where that failed, only the identity is taken. */
function plainValue(composed: Composed, issues: readonly Issue[]): unknown {
  if (issues.some(({ code }) => aliasCodes.has(code))) return identityIn(composed);
  return composed.document.toJS({ maxAliasCount: -1 }) as unknown;
}

function identityIn({ document }: Composed): unknown {
  const metadata = { namespace: document.getIn(["metadata", "namespace"]), name: document.getIn(["metadata", "name"]) };
  return { apiVersion: document.get("apiVersion"), kind: document.get("kind"), metadata };
}
