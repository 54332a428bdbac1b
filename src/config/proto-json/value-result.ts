import type { JsonValue } from "@bufbuild/protobuf";
import type { Remark } from "../finding.ts";
import type { IssueCode } from "../issue-codes.ts";

/** The result for one raw value: canonical JSON for protobuf, or the reason of the failure. */
export type ValueResult = { readonly ok: true; readonly json: JsonValue } | ({ readonly ok: false } & Remark);

export function good(json: JsonValue): ValueResult {
  return { ok: true, json };
}

export function bad(code: IssueCode, message: string, hint?: string): ValueResult {
  return { ok: false, code, message, ...(hint === undefined ? {} : { hint }) };
}

/** `expected a number, found "eighty"`. */
export function wrongType(expected: string, raw: unknown, hint?: string): ValueResult {
  return bad("wrong-type", `expected ${expected}, found ${show(raw)}`, hint);
}

const maxShownLength = 40;

/** A short form of a raw value for messages. */
export function show(raw: unknown): string {
  if (Array.isArray(raw)) return "a list";
  if (typeof raw === "object" && raw !== null) return "a mapping";
  const text = typeof raw === "string" ? JSON.stringify(raw) : String(raw);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
}
