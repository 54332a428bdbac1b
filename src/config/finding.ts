import type { Finding } from "./kind.ts";

/** What is said of a field: a short stable code, a sentence, and what to do about it if that can be told. */
export interface Remark {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
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
