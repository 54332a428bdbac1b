import type { IssueCode } from "./issue-codes.ts";

/** What is said of a field: a short stable code, a sentence, and what to do about it if that can be told. */
export interface Remark {
  readonly code: IssueCode;
  readonly message: string;
  readonly hint?: string;
}

/** A remark about a field of an object, before anyone knows where the field stands. */
export interface Finding extends Remark {
  readonly severity: "error" | "warning";
  /** The field, as in `spec.http[0].route`; "" for the whole document. */
  readonly path: string;
}

export function error(path: string, remark: Remark): Finding {
  return { severity: "error", path, ...remark };
}

export function warning(path: string, remark: Remark): Finding {
  return { severity: "warning", path, ...remark };
}

/** For rules that may have nothing to say. */
export function errorUnless(holds: boolean, path: string, remark: Remark): readonly Finding[] {
  return holds ? [] : [error(path, remark)];
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === "error");
}

/** In one line: `spec.hosts: a host is missing; write "*" for all`. */
export function findingText({ path, message, hint }: Finding): string {
  const sentence = hint === undefined ? message : `${message}; ${hint}`;
  return path === "" ? sentence : `${path}: ${sentence}`;
}
