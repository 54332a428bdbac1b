import { isUtf8 } from "node:buffer";
import type { Problem } from "./problem.ts";

/** Stands in a text for bytes that are not UTF-8. Half a surrogate pair: no text holds it otherwise. */
const undecodable = "\uDFFF";

/** The text of a file. Never throws: bytes that are not UTF-8 are found with {@link characterProblems}. */
export function decodeText(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return isUtf8(bytes) ? text : text.replaceAll("\uFFFD", undecodable);
}

/** All but the characters that YAML 1.2.2 (c-printable) allows. */
const forbidden = /[^\t\n\r\u0020-\u007E\u0085\u00A0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Characters that no YAML text may have; most come from a file in another encoding, or from one that is not text. */
export function* characterProblems(text: string): Iterable<Problem> {
  for (const { 0: character, index } of text.matchAll(forbidden)) {
    yield character === undecodable
      ? { offset: index, code: "not-utf8", message: "this is not UTF-8", hint: "save the file as UTF-8" }
      : { offset: index, code: "bad-yaml", message: `the character ${codeOf(character)} cannot stand in YAML` };
  }
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
