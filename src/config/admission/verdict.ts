import { findingText } from "../finding.ts";
import type { Issue } from "../issue.ts";

/** The reason of a denial. The names are Galley's: they are labels of `galley_validation_failed`. */
export type DenialReason = "yaml_decode_error" | "unknown_type" | "crd_conversion_error" | "invalid_resource";

/** The decision on a request. `unchecked` is allowed too, because the request does not concern us. */
export type Verdict = Readonly<{ warnings: readonly string[] }> &
  (
    | { readonly type: "allowed" | "unchecked" }
    | { readonly type: "denied"; readonly reason: DenialReason; readonly message: string }
  );

export function denied(reason: DenialReason, message: string, warnings: readonly string[] = []): Verdict {
  return { type: "denied", reason, message, warnings };
}

/** Bounds the text, because people read it in a terminal and Kubernetes transports it. */
const maxLines = 20;
const maxLineLength = 400;
/** Kubernetes itself cuts longer warnings, and drops everything beyond 4096 characters. */
const maxWarnings = 10;
const maxWarningLength = 256;

/** Describes the mistakes of an object for its author: one line per mistake. */
export function denialText(subject: string, errors: readonly Issue[]): string {
  const [first, ...others] = errors.map(findingText);
  if (first === undefined || others.length === 0) return cut(`${subject} is not valid: ${first}`, maxLineLength);
  const lines = [first, ...others].slice(0, maxLines).map((line) => `- ${cut(line, maxLineLength)}`);
  const more = errors.length > maxLines ? [`- and ${errors.length - maxLines} more`] : [];
  return [`${cut(subject, maxLineLength)} has ${errors.length} errors:`, ...lines, ...more].join("\n");
}

/** Warnings as `kubectl` shows them, each after the word "Warning". */
export function warningTexts(warnings: readonly Issue[]): readonly string[] {
  return warnings.slice(0, maxWarnings).map((issue) => cut(findingText(issue), maxWarningLength));
}

/** Names and values come from the user and may contain anything. */
function cut(text: string, length: number): string {
  const line = text.replaceAll(/\p{Cc}+/gu, " ");
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
