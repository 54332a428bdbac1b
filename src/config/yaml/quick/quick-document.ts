import { readBlockMapping } from "./block.ts";
import { readFlow } from "./flow.ts";
import { charCodes, giveUp, outsideSubset, TextCursor } from "./text-cursor.ts";

/** A document that was read without the parser: it has no mistakes. */
export interface QuickDocument {
  readonly value: Readonly<Record<string, unknown>>;
  /** The offset of its content. */
  readonly start: number;
  /** The offset of the key `metadata.name`, if it has one. */
  readonly name: number | undefined;
}

/**
 * Neither tabs nor carriage returns, which are rare and have rules of their own, nor characters that YAML forbids or
 * that some parsers take for line breaks or marks.
 */
const ordinary = /^[\n\u0020-\u007E\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]*$/u;

/**
 * Reads a document in the subset of YAML that most files use: block mappings and lists, JSON, plain and quoted scalars
 * of one line, literal text, comments. It is twenty times as fast as the parser, because it builds no nodes. It returns
 * undefined for every other text: the parser then decides whether it is valid. On what it accepts it must equal the
 * parser, which `quick-document.test.ts` checks.
 */
export function readQuickly(text: string): QuickDocument | undefined {
  if (!ordinary.test(text)) return undefined;
  const cursor = new TextCursor(text);
  try {
    cursor.start();
    const start = cursor.at;
    const value = readRoot(cursor);
    return { value, start, name: cursor.nameOffset };
  } catch (thrown) {
    if (thrown === outsideSubset) return undefined;
    throw thrown;
  }
}

function readRoot(cursor: TextCursor): Readonly<Record<string, unknown>> {
  const value = cursor.code() === charCodes.openBrace ? readJson(cursor) : readBlockMapping(cursor);
  if (cursor.column !== -1) giveUp();
  return value;
}

function readJson(cursor: TextCursor): Readonly<Record<string, unknown>> {
  const value = readFlow(cursor, true);
  cursor.endLine();
  cursor.nextContent();
  // The caller saw its opening brace.
  return value as Readonly<Record<string, unknown>>;
}
