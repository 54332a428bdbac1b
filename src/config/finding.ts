import type { IssueCode } from "./issue-codes.ts";

/** A statement about a field: a short stable code, a sentence, and a hint if a fix is known. */
export interface Remark {
  readonly code: IssueCode;
  readonly message: string;
  readonly hint?: string;
}

/** A remark about a field of an object, before its place in the file is known. */
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

/** Returns an error if the condition does not hold, else nothing. */
export function errorUnless(holds: boolean, path: string, remark: Remark): readonly Finding[] {
  return holds ? [] : [error(path, remark)];
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === "error");
}

/**
 * Whether findings prevent the use of an object. A setting without effect is an error if security relies on it. The
 * object is kept all the same, because others may enforce it.
 */
export function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ severity, code }) => severity === "error" && code !== "no-effect");
}

/** In one line: `spec.hosts: a host is missing; write "*" for all`. */
export function findingText({ path, message, hint }: Finding): string {
  const sentence = hint === undefined ? message : `${message}; ${hint}`;
  return path === "" ? sentence : `${path}: ${sentence}`;
}
