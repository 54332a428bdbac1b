import { readFlow } from "./flow.ts";
import { readLiteral } from "./literal.ts";
import { isBlankAt, isQuote, readPlain, readQuoted } from "./scalars.ts";
import { charCodes, giveUp, isWordCode, type TextCursor } from "./text-cursor.ts";

const { hash, dash, colon, openBracket, openBrace, pipe } = charCodes;

/** Reads a mapping in block style whose first key is at the cursor. Ends at the next content after it. */
export function readBlockMapping(cursor: TextCursor): Readonly<Record<string, unknown>> {
  const mapping: Record<string, unknown> = {};
  const { column } = cursor;
  cursor.open();
  do {
    const start = cursor.at;
    const key = keyAt(cursor) ?? giveUp();
    cursor.enterField(mapping, key, start);
    mapping[key] = readValue(cursor, column, "key");
  } while (continues(cursor, column));
  cursor.close();
  return mapping;
}

/** Reads a list in block style whose first dash is at the cursor. Ends at the next content after it. */
function readBlockList(cursor: TextCursor): readonly unknown[] {
  const list: unknown[] = [];
  const { column } = cursor;
  cursor.open();
  do {
    cursor.at += 1;
    list.push(readValue(cursor, column, "dash"));
  } while (continues(cursor, column) && isDash(cursor));
  cursor.close();
  return list;
}

/** Whether the next content belongs to the same list or mapping. */
function continues(cursor: TextCursor, column: number): boolean {
  if (cursor.column > column) giveUp();
  return cursor.column === column;
}

/** The value after the colon of a key or after a dash. `column` is that of the key or the dash. */
function readValue(cursor: TextCursor, column: number, after: "key" | "dash"): unknown {
  cursor.skipSpaces();
  if (cursor.isAtLineEnd() || cursor.code() === hash) return readValueBelow(cursor, column, after);
  if (cursor.code() === pipe) return readLiteral(cursor, column);
  if (after === "dash") {
    // A list or mapping may start on the line of the dash.
    if (isDash(cursor)) return nested(cursor, readBlockList);
    if (isKey(cursor)) return nested(cursor, readBlockMapping);
  }
  const value = readInline(cursor);
  cursor.endLine();
  cursor.nextContent();
  // Otherwise the scalar continues on the next line.
  if (cursor.column > column) giveUp();
  return value;
}

function nested(cursor: TextCursor, read: (cursor: TextCursor) => unknown): unknown {
  cursor.startAt(cursor.at);
  return read(cursor);
}

function readValueBelow(cursor: TextCursor, column: number, after: "key" | "dash"): unknown {
  cursor.skipLine();
  cursor.nextContent();
  if (cursor.column > column) return isDash(cursor) ? readBlockList(cursor) : readBlockMapping(cursor);
  // A list may be in the column of its key.
  return after === "key" && cursor.column === column && isDash(cursor) ? readBlockList(cursor) : null;
}

function readInline(cursor: TextCursor): unknown {
  const code = cursor.code();
  if (isQuote(code)) return readQuoted(cursor);
  if (code === openBrace || code === openBracket) return readFlow(cursor, false);
  return readPlain(cursor);
}

function isDash(cursor: TextCursor): boolean {
  return cursor.code() === dash && isBlankAt(cursor.text, cursor.at + 1);
}

/** The key at the cursor, which goes behind its colon. Undefined if there is none; then the cursor stays. */
function keyAt(cursor: TextCursor): string | undefined {
  const { at, text } = cursor;
  const key = isQuote(cursor.code()) ? readQuoted(cursor) : plainKeyAt(cursor);
  if (key !== undefined && cursor.code() === colon && isBlankAt(text, cursor.at + 1)) {
    cursor.at += 1;
    return key;
  }
  cursor.at = at;
  return undefined;
}

function plainKeyAt(cursor: TextCursor): string | undefined {
  const key = cursor.takeWhile(isWordCode);
  return /^[A-Za-z0-9_]/u.test(key) ? key : undefined;
}

function isKey(cursor: TextCursor): boolean {
  const { at } = cursor;
  const isFound = keyAt(cursor) !== undefined;
  cursor.at = at;
  return isFound;
}
