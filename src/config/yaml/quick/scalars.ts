import { charCodes, giveUp, type TextCursor } from "./text-cursor.ts";

const { lineBreak, space, doubleQuote, hash, singleQuote, dash, colon, backslash } = charCodes;

export function isQuote(code: number): boolean {
  return code === doubleQuote || code === singleQuote;
}

/** The text of a scalar in double or single quotes that ends on its line. */
export function readQuoted(cursor: TextCursor): string {
  return cursor.code() === doubleQuote ? readDoubleQuoted(cursor) : readSingleQuoted(cursor);
}

function readDoubleQuoted(cursor: TextCursor): string {
  const { text, at } = cursor;
  let isEscaped = false;
  for (let end = at + 1; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === doubleQuote) {
      cursor.at = end + 1;
      return isEscaped ? unescaped(text.slice(at, end + 1)) : text.slice(at + 1, end);
    }
    if (code === lineBreak) break;
    if (code !== backslash) continue;
    isEscaped = true;
    end += 1;
  }
  return giveUp();
}

const escapes = /\\(?:u[0-9a-fA-F]{4}|.)/gsu;
/** YAML has more escapes than JSON. These are common to both, and mean the same. */
const sharedEscape = /^\\(?:u.{4}|["\\/bfnrt])$/u;

function unescaped(quoted: string): string {
  for (const [escape] of quoted.matchAll(escapes)) if (!sharedEscape.test(escape)) giveUp();
  return JSON.parse(quoted) as string;
}

function readSingleQuoted(cursor: TextCursor): string {
  const { text, at } = cursor;
  const end = text.indexOf("'", at + 1);
  // A doubled quote stands for one quote.
  if (end === -1 || text.charCodeAt(end + 1) === singleQuote) giveUp();
  const content = text.slice(at + 1, end);
  if (content.includes("\n")) giveUp();
  cursor.at = end + 1;
  return content;
}

/** No plain scalar starts with these characters, except a dash before a character that is not blank. */
const indicators = new Set(Array.from("?:,[]{}#&*!|>'\"%@`", (character) => character.charCodeAt(0)));

/** A plain scalar in block style, up to the end of its line or a comment. */
export function readPlain(cursor: TextCursor): unknown {
  const { text, at } = cursor;
  const first = cursor.code();
  if (indicators.has(first)) giveUp();
  let end = at;
  let last = at;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === lineBreak) break;
    if (code === space) continue;
    if (code === hash && text.charCodeAt(end - 1) === space) break;
    // A mapping in a place where none may start.
    if (code === colon && isBlankAt(text, end + 1)) giveUp();
    last = end;
  }
  if (first === dash && isBlankAt(text, at + 1)) giveUp();
  cursor.at = last + 1;
  return plainValue(text.slice(at, last + 1));
}

/** Whether a blank, a line break or the end of the text is at the offset. */
export function isBlankAt(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return code === space || code === lineBreak || offset >= text.length;
}

/** All scalars that may be something else than text begin with one of these characters. */
const mayHaveType = /^[-+.0-9~nNtTfF]/u;
const integer = /^[-+]?[0-9]{1,15}$/u;
const decimal = /^[-+]?(?:\.[0-9]{1,15}|[0-9]{1,15}\.[0-9]{0,15})$/u;
/** Numbers in other forms, some of them no number in the end. */
const otherNumber = /^(?:[-+]?\.?[0-9]+\.?[0-9]*(?:[eE].*)?|0[ox].*|[-+]?\.(?:inf|nan))$/iu;

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ...["~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);

/** The value of a plain scalar by the core schema of YAML 1.2. */
export function plainValue(text: string): unknown {
  if (!mayHaveType.test(text)) return text;
  const constant = constants.get(text);
  if (constant !== undefined) return constant;
  if (integer.test(text) || decimal.test(text)) return Number(text);
  return otherNumber.test(text) ? giveUp() : text;
}
