import { isRefused } from "../../../src/config/finding.ts";
import type { Issue } from "../../../src/config/issue.ts";
import { kinds } from "../../../src/config/kinds.ts";
import { parseConfigs } from "../../../src/config/parse/parse.ts";
import { explainOurs, explainTheirs } from "./explain-difference.ts";
import type { Complaints } from "./judge-istioctl.ts";
import type { KnownDifference } from "./known/known-difference.ts";
import type { MutatedDocument } from "./mutated-documents.ts";

/** A difference in verdict that no row explains: one line per error. */
interface Unexplained {
  readonly document: MutatedDocument;
  readonly refusedBy: "binnacle" | "istioctl";
  readonly errors: readonly string[];
}

export interface Comparison {
  readonly documents: number;
  readonly bothAccept: number;
  readonly bothRefuse: number;
  /** How many documents each row explains, alone or with other rows. */
  readonly explained: ReadonlyMap<KnownDifference, number>;
  readonly differences: number;
  readonly unexplained: readonly Unexplained[];
}

/** A document with the errors of both. Warnings do not count. */
export interface Judged {
  readonly document: MutatedDocument;
  readonly ours: readonly Issue[];
  readonly theirs: readonly string[];
}

export function judged(documents: readonly MutatedDocument[], complaints: Complaints): readonly Judged[] {
  return documents.map((document) => {
    return { document, ours: errorsOf(document), theirs: complaints.get(document.id) ?? [] };
  });
}

/** Compares the verdicts about each document. */
export function compareVerdicts(all: readonly Judged[]): Comparison {
  const explained = new Map<KnownDifference, number>();
  const unexplained: Unexplained[] = [];
  let bothAccept = 0;
  let bothRefuse = 0;
  for (const { document, ours, theirs } of all) {
    if (ours.length === 0 && theirs.length === 0) bothAccept += 1;
    else if (ours.length > 0 && theirs.length > 0) bothRefuse += 1;
    else {
      const rows = ours.length > 0 ? explainedErrors(ours, document) : explainedMessages(theirs, document);
      for (const row of new Set(rows.found)) explained.set(row, (explained.get(row) ?? 0) + 1);
      const refusedBy = ours.length > 0 ? "binnacle" : "istioctl";
      if (rows.missing.length > 0) unexplained.push({ document, refusedBy, errors: rows.missing });
    }
  }
  const differences = all.length - bothAccept - bothRefuse;
  return { documents: all.length, bothAccept, bothRefuse, explained, differences, unexplained };
}

interface Rows {
  readonly found: KnownDifference[];
  readonly missing: string[];
}

/** Each error alone would make us refuse the object, so each needs its reason. */
function explainedErrors(errors: readonly Issue[], { kind, text }: MutatedDocument): Rows {
  const object: unknown = JSON.parse(text);
  const rows: Rows = { found: [], missing: [] };
  for (const error of errors) {
    const row = explainOurs(error, kind, object);
    if (row === undefined) rows.missing.push(`${error.code} ${error.path}: ${error.message}`);
    else rows.found.push(row);
  }
  return rows;
}

function explainedMessages(messages: readonly string[], { kind }: MutatedDocument): Rows {
  const rows: Rows = { found: [], missing: [] };
  for (const message of messages) {
    const row = explainTheirs(message, kind);
    if (row === undefined) rows.missing.push(message);
    else rows.found.push(row);
  }
  return rows;
}

/** Errors that make us refuse the object, without the note that there are more than are listed. */
function errorsOf({ text }: MutatedDocument): readonly Issue[] {
  const { issues } = parseConfigs({ file: "a.yaml", text, source: "differential", kinds, defaultNamespace: "default" });
  return issues.filter((issue) => isRefused([issue]) && issue.code !== "more-issues");
}
