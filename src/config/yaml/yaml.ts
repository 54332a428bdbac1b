import type { Document } from "yaml";
import { errorFrom } from "../../lib/errors.ts";
import type { Place } from "../config.ts";
import type { Remark } from "../finding.ts";
import type { Issue } from "../issue.ts";
import { aliasProblems } from "./aliases.ts";
import { type Composed, compose } from "./compose.ts";
import { isTwoInOne } from "./duplicate-keys.ts";
import { locateIn } from "./position.ts";
import type { Problem } from "./problem.ts";
import { type Slice, splitDocuments } from "./split.ts";
import { syntaxIssues } from "./syntax.ts";

/** Finds the place of a field such as `spec.http[0].route[1].weight`, or of its nearest existing ancestor. */
export type Locate = (path: string) => Place;

/** One document of a file. */
export interface YamlDocument {
  /**
   * JSON-compatible. With errors among the issues it is a best guess, good only for telling which object was meant;
   * undefined when nobody can tell.
   */
  readonly value: unknown;
  /** Where its content starts, counted from 1. */
  readonly line: number;
  readonly issues: readonly Issue[];
  readonly text: string;
  /** Quick, for as long as the document is at hand: it holds all nodes. */
  readonly locate: Locate;
  /** The same for keeping: it holds only the text, and reads it again when asked. */
  readonly locateLater: Locate;
}

/** Reading takes a second per megabyte, all at once. No object in Kubernetes is larger: etcd takes 1.5 MiB. */
const maxDocumentLength = 2 * 1024 * 1024;

/**
 * Reads all documents of a file. Never throws: what is wrong with a document is among its issues, and says nothing
 * about its neighbours. Empty documents are left out.
 */
export function parseDocuments(text: string, file: string): readonly YamlDocument[] {
  return Array.from(splitDocuments(text)).flatMap((slice) => readDocument(slice, file) ?? []);
}

/** One of them; undefined when it is empty. */
export function readDocument(slice: Slice, file: string): YamlDocument | undefined {
  const start: Place = { file, line: slice.line, column: 1 };
  if (slice.text.length > maxDocumentLength) return unreadable(start, tooLarge);
  try {
    const composed = compose(slice, file);
    const aliases = aliasProblems(composed);
    const issues = syntaxIssues(composed, aliases);
    const value = plainValue(composed, aliases);
    if (value === null && issues.length === 0) return undefined;
    return {
      value,
      line: locateIn(composed, "").line,
      issues,
      text: slice.text,
      locate: locateByNodes(composed),
      locateLater: locateByText(slice, file),
    };
  } catch (cause) {
    // Nesting deeper than our stack, say: everything ordinary is among the issues of a document.
    return unreadable(start, { code: "bad-yaml", message: `this cannot be read: ${errorFrom(cause).message}` });
  }
}

function locateByNodes(composed: Composed): Locate {
  return (path) => locateIn(composed, path);
}

/** Apart from {@link locateByNodes} on purpose: closures of one function share, and so keep, all it captured. */
function locateByText(slice: Slice, file: string): Locate {
  return (path) => locateIn(compose(slice, file), path);
}

const tooLarge: Remark = {
  code: "too-large",
  message: `this document has more than ${maxDocumentLength / 1024 / 1024} MiB, too much to read at once`,
  hint: "put each object into a document of its own",
};

function unreadable(place: Place, reason: Remark): YamlDocument {
  const issue: Issue = { severity: "error", object: "", path: "", place, ...reason };
  const locate = (): Place => place;
  return { value: undefined, line: place.line, issues: [issue], text: "", locate, locateLater: locate };
}

/** Aliases were checked before, so they need no second limit; where that failed, only the identity is taken. */
function plainValue({ document }: Composed, aliases: readonly Problem[]): unknown {
  if (isTwoInOne(document)) return undefined;
  return aliases.length > 0 ? identityIn(document) : (document.toJS({ maxAliasCount: -1 }) as unknown);
}

function identityIn(document: Document.Parsed): unknown {
  const metadata = { namespace: document.getIn(["metadata", "namespace"]), name: document.getIn(["metadata", "name"]) };
  const spec = document.has("spec") ? { spec: {} } : {};
  return { apiVersion: document.get("apiVersion"), kind: document.get("kind"), metadata, ...spec };
}
