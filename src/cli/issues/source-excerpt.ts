import { isBinary } from "../../config/yaml/characters.ts";

/** A line of a text for people, and the underline below it. */
export interface Excerpt {
  readonly line: string;
  readonly underline: string;
}

/** Longer lines are cut: an error in generated YAML should not fill a screen. */
const maxLength = 120;
const lead = 30;

/**
 * The line at a place, with the element that begins there underlined. For a field, the underline includes its value if
 * the value is on the same line. Lines and columns count from 1. Undefined if there is no such line. Undefined for
 * every file with a Secret, because any of its lines may be a part of a key.
 */
export function excerptAt(
  text: string,
  place: { readonly line: number; readonly column: number },
): Excerpt | undefined {
  if (mayHoldSecrets(text)) return undefined;
  const lines = text.replace(/^\uFEFF/u, "").split("\n");
  const line = lines[place.line - 1]?.trimEnd();
  if (line === undefined || isBinary(text)) return undefined;
  const start = Math.min(place.column - 1, line.length);
  const thing = line.slice(start, endOf(line, start)).trimEnd().replace(/:$/u, "");
  const from = line.length <= maxLength ? 0 : Math.max(0, Math.min(start - lead, line.length - maxLength));
  const cut = line.slice(from, from + maxLength);
  const length = Math.min(thing.length, from + cut.length - start);
  return { line: visible(cut), underline: " ".repeat(start - from) + "^".repeat(Math.max(length, 1)) };
}

/** Whether a text contains a Secret, or a private key in PEM or base64. */
function mayHoldSecrets(text: string): boolean {
  return /\bkind["']?\s*:\s*["']?Secret\b|PRIVATE KEY|LS0tLS1CRUdJTi/iu.test(text);
}

/** Comments, plain words, quoted texts; everything else by the character. */
const tokens = /\s+#.*|[^\s,[\]{}"'][^\s,[\]{}]*|"(?:\\.|[^"\\])*"?|'[^']*'?|./gu;

/** Where the thing that begins at `start` ends: before a comment and, inside brackets, before the next comma. */
function endOf(line: string, start: number): number {
  let depth = 0;
  let depthAtStart = 0;
  for (const { 0: token, index } of line.matchAll(tokens)) {
    if (index <= start) depthAtStart = depth;
    const closes = token === "]" || token === "}";
    const isNext = index > start && depth > 0 && depth === depthAtStart && (closes || token === ",");
    if (isNext || (index >= start && /^\s+#/u.test(token))) return index;
    if (closes) depth--;
    else if (token === "[" || token === "{") depth++;
  }
  return line.length;
}

/** Every character takes one column. Tabs are visible, as they may be the mistake. Control characters are replaced. */
function visible(text: string): string {
  return text.replaceAll("\t", "→").replaceAll(/\p{Cc}/gu, "·");
}
