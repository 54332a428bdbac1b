import { isQuote, plainValue, readQuoted } from "./scalars.ts";
import { charCodes, giveUp, isWordCode, type TextCursor } from "./text-cursor.ts";

const { lineBreak, space, comma, colon, openBracket, closeBracket, openBrace, closeBrace } = charCodes;

/**
 * Reads a value in flow style: JSON, or the short form of YAML. With `hasLines` it may have several lines. Inside of
 * block style it must not, because the indentation of each line would matter.
 */
export function readFlow(cursor: TextCursor, hasLines: boolean): unknown {
  const code = cursor.code();
  if (isQuote(code)) return readQuoted(cursor);
  if (code === openBrace) return readFlowMapping(cursor, hasLines);
  if (code === openBracket) return readFlowList(cursor, hasLines);
  return plainValue(readWord(cursor));
}

function readFlowMapping(cursor: TextCursor, hasLines: boolean): Readonly<Record<string, unknown>> {
  const mapping: Record<string, unknown> = {};
  cursor.open();
  cursor.at += 1;
  skipBlanks(cursor, hasLines);
  if (cursor.code() !== closeBrace) {
    do {
      const start = cursor.at;
      const key = readFlowKey(cursor);
      cursor.enterField(mapping, key, start);
      mapping[key] = readFlow(cursor, hasLines);
    } while (hasNext(cursor, closeBrace, hasLines));
  }
  cursor.at += 1;
  cursor.close();
  return mapping;
}

function readFlowList(cursor: TextCursor, hasLines: boolean): readonly unknown[] {
  const list: unknown[] = [];
  cursor.open();
  cursor.at += 1;
  skipBlanks(cursor, hasLines);
  if (cursor.code() !== closeBracket) {
    do list.push(readFlow(cursor, hasLines));
    while (hasNext(cursor, closeBracket, hasLines));
  }
  cursor.at += 1;
  cursor.close();
  return list;
}

/** Ends at the value. Only after a key in quotes may the value follow the colon at once. */
function readFlowKey(cursor: TextCursor): string {
  const isQuoted = isQuote(cursor.code());
  const key = isQuoted ? readQuoted(cursor) : readWord(cursor);
  cursor.skipSpaces();
  if (cursor.code() !== colon) giveUp();
  cursor.at += 1;
  if (!isQuoted && cursor.code() !== space) giveUp();
  cursor.skipSpaces();
  return key;
}

/** After an item: whether another one follows. A comma before the end is left to the whole parser. */
function hasNext(cursor: TextCursor, closing: number, hasLines: boolean): boolean {
  skipBlanks(cursor, hasLines);
  if (cursor.code() === closing) return false;
  if (cursor.code() !== comma) giveUp();
  cursor.at += 1;
  skipBlanks(cursor, hasLines);
  return true;
}

function skipBlanks(cursor: TextCursor, hasLines: boolean): void {
  cursor.skipSpaces();
  if (!hasLines) return;
  while (cursor.code() === lineBreak) {
    cursor.at += 1;
    cursor.skipSpaces();
  }
}

const asterisk = 42;

/** A plain scalar of harmless characters. The caller gives up if other characters follow it. */
function readWord(cursor: TextCursor): string {
  const found = cursor.takeWhile((code) => isWordCode(code) || code === asterisk);
  // A dash alone is no scalar, three dashes or dots may be a marker, and an asterisk starts an alias.
  if (!/^(?:[A-Za-z0-9_./]|-[0-9A-Za-z])/u.test(found)) giveUp();
  return found;
}
