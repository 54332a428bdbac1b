import { findingText } from "../finding.ts";
import type { Issue } from "../issue.ts";

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
