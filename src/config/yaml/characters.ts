import { isUtf8 } from "node:buffer";
import type { YamlProblem } from "./yaml-problem.ts";

/** Replaces bytes that are not UTF-8. It is half a surrogate pair, which no valid text contains. */
const undecodable = "\uDFFF";

/** The text of a file. Never throws: {@link characterProblems} finds bytes that are not UTF-8. */
export function decodeText(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return isUtf8(bytes) ? text : text.replaceAll("\uFFFD", undecodable);
}

/** The same sample size as in Git. */
const sampleLength = 8_000;

/** Whether a text is binary: it contains a NUL, or YAML forbids more than a tenth of it. */
export function isBinary(text: string): boolean {
  const sample = text.slice(0, sampleLength);
  if (sample.includes("\0")) return true;
  return [...sample.matchAll(forbidden)].length > sample.length / 10;
}

/** All characters except those that YAML 1.2.2 (c-printable) allows. */
const forbidden = /[^\t\n\r\u0020-\u007E\u0085\u00A0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Characters that YAML forbids. Most come from a file in another encoding, or from a binary file. */
export function* characterProblems(text: string): Iterable<YamlProblem> {
  for (const { 0: character, index } of text.matchAll(forbidden)) {
    yield character === undecodable
      ? { offset: index, code: "not-utf8", message: "this is not UTF-8", hint: "save the file as UTF-8" }
      : { offset: index, code: "bad-yaml", message: `the character ${codeOf(character)} is not allowed in YAML` };
  }
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
