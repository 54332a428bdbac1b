import { errorFrom } from "../../lib/errors.ts";
import type { SourceLocation } from "../config.ts";
import { hasErrors, type Remark } from "../finding.ts";
import type { Issue } from "../issue.ts";
import { type Aliases, resolveAliases } from "./aliases.ts";
import { type Composed, compose } from "./compose.ts";
import { isTwoInOne } from "./duplicate-keys.ts";
import { identityIn } from "./identity.ts";
import { maxDocumentLength } from "./limits.ts";
import { plainValue } from "./plain-value.ts";
import { Locator } from "./position.ts";
import { type QuickDocument, readQuickly } from "./quick/quick-document.ts";
import { type Slice, splitDocuments } from "./split.ts";
import { syntaxIssues } from "./syntax.ts";
import { DocumentRefused } from "./yaml-problem.ts";

/** Finds the place of a field such as `spec.http[0].route[1].weight`, or of its nearest existing ancestor. */
export type Locate = (path: string) => SourceLocation;

/** One document of a file. */
export interface YamlDocument {
  /**
   * JSON-compatible. With errors among the issues it is a best guess that only identifies the object; undefined if that
   * is impossible.
   */
  readonly value: unknown;
  /** The line of its content, starting at 1. */
  readonly line: number;
  readonly issues: readonly Issue[];
  readonly text: string;
  /** Fast, for use while the document is in memory: it holds all nodes. */
  readonly locate: Locate;
  /** For long use: it holds only the text, and parses it again for each lookup. */
  readonly locateLater: Locate;
}

/**
 * Reads all documents of a file. Never throws: mistakes of a document are among its issues and do not affect its
 * neighbours. Empty documents are skipped.
 */
export function parseDocuments(text: string, file: string): readonly YamlDocument[] {
  return Array.from(splitDocuments(text)).flatMap((slice) => readDocument(slice, file) ?? []);
}

/**
 * The value of a file with one document that is not an object, such as settings. Null if it is empty. Throws the first
 * mistake.
 */
export function parseOnly(text: string, file: string): unknown {
  const [document, second] = parseDocuments(text, file);
  const issues = [...(document?.issues ?? []), ...(second?.issues ?? [])];
  const mistake = issues.find(({ severity }) => severity === "error");
  if (mistake !== undefined) throw new Error(`line ${mistake.place?.line ?? 1}: ${mistake.message}`);
  if (second !== undefined) throw new Error(`line ${second.line}: this file must contain exactly one document`);
  return document?.value ?? null;
}

/** One document of a file; undefined if it is empty. */
export function readDocument(slice: Slice, file: string): YamlDocument | undefined {
  if (slice.text.length > maxDocumentLength) return unreadable({ file, line: slice.line, column: 1 }, tooLarge);
  const quick = readQuickly(slice.text);
  return quick === undefined ? readThoroughly(slice, file) : quickDocument(quick, slice, file);
}

function quickDocument({ value, start, name }: QuickDocument, slice: Slice, file: string): YamlDocument {
  const place = placeIn(slice, file, start);
  const locateKnown = (locate: Locate): Locate => {
    return (path) => {
      if (path === "") return place;
      return path === "metadata.name" && name !== undefined ? placeIn(slice, file, name) : locate(path);
    };
  };
  return {
    value,
    line: place.line,
    issues: noIssues,
    text: slice.text,
    locate: locateKnown(locateByParser(slice, file)),
    locateLater: locateKnown(locateByText(slice, file)),
  };
}

const noIssues: readonly Issue[] = [];

/** Parses the text for the first lookup, and keeps its nodes. */
function locateByParser(slice: Slice, file: string): Locate {
  let locator: Locator | undefined;
  return (path) => {
    locator ??= locatorOf(slice, file);
    return locator.locate(path);
  };
}

/** Reads a document with the parser, which knows all of YAML, every mistake, and the place of every field. */
export function readThoroughly(slice: Slice, file: string): YamlDocument | undefined {
  const start: SourceLocation = { file, line: slice.line, column: 1 };
  try {
    const composed = compose(slice, file);
    const aliases = resolveAliases(composed);
    const locator = new Locator(composed, aliases);
    const issues = syntaxIssues(composed, aliases);
    const value = valueOf(composed, aliases, hasErrors(issues));
    if (value === null && issues.length === 0) return undefined;
    return {
      value,
      line: locator.locate("").line,
      issues,
      text: slice.text,
      locate: (path) => locator.locate(path),
      locateLater: locateByText(slice, file),
    };
  } catch (cause) {
    if (cause instanceof DocumentRefused) return unreadable(placeIn(slice, file, cause.problem.offset), cause.problem);
    // Ordinary mistakes are issues of the document, so this one is unexpected.
    return unreadable(start, { code: "bad-yaml", message: `this cannot be read: ${errorFrom(cause).message}` });
  }
}

/**
 * Parses the text again for a lookup. Several lookups in one turn parse it once, because a weak reference lasts until
 * the turn ends. It is separate from {@link readDocument} on purpose: closures of one function share all captured
 * variables, and keep them alive.
 */
function locateByText(slice: Slice, file: string): Locate {
  let last: WeakRef<Locator> | undefined;
  return (path) => {
    const known = last?.deref();
    const locator = known ?? locatorOf(slice, file);
    if (known === undefined) last = new WeakRef(locator);
    return locator.locate(path);
  };
}

function locatorOf(slice: Slice, file: string): Locator {
  const composed = compose(slice, file);
  return new Locator(composed, resolveAliases(composed));
}

const tooLarge: Remark = {
  code: "too-large",
  message: `this document has more than ${maxDocumentLength / 1024 / 1024} MiB`,
  hint: "put each object into a document of its own",
};

function unreadable(place: SourceLocation, { code, message, hint }: Remark): YamlDocument {
  const remark = hint === undefined ? { code, message } : { code, message, hint };
  const issue: Issue = { severity: "error", object: "", path: "", place, ...remark };
  const locate = (): SourceLocation => place;
  return { value: undefined, line: place.line, issues: [issue], text: "", locate, locateLater: locate };
}

/** For a document with mistakes, returns only its identity: converting misread nodes might never end. */
function valueOf({ document }: Composed, aliases: Aliases, isBroken: boolean): unknown {
  if (isTwoInOne(document)) return undefined;
  return isBroken ? identityIn(document.contents, aliases) : plainValue(document.contents, aliases);
}

function placeIn({ text, line }: Slice, file: string, offset: number): SourceLocation {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf("\n");
  return { file, line: line + before.split("\n").length - 1, column: offset - lastBreak };
}
