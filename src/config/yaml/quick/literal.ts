import { charCodes, giveUp, type TextCursor } from "./text-cursor.ts";

const { space } = charCodes;

/**
 * Reads a block of literal text (`|` or `|-`). `column` is that of its key or dash. Ends at the next content after it.
 */
export function readLiteral(cursor: TextCursor, column: number): string {
  const { text } = cursor;
  const header = ["|\n", "|-\n"].find((each) => text.startsWith(each, cursor.at)) ?? giveUp();
  cursor.at += header.length;
  const indent = spacesAt(text, cursor.at);
  if (indent <= column) giveUp();
  const lines: string[] = [];
  for (;;) {
    const end = text.indexOf("\n", cursor.at);
    // The last line of a text may have no line break, which changes the value.
    if (end === -1) break;
    const spaces = spacesAt(text, cursor.at);
    const isBlank = cursor.at + spaces === end;
    if (isBlank && (spaces > indent || lines.length === 0)) giveUp();
    if (!isBlank && spaces < indent) break;
    lines.push(isBlank ? "" : text.slice(cursor.at + indent, end));
    cursor.at = end + 1;
  }
  while (lines.at(-1) === "") lines.pop();
  // Back to the line break before the next line.
  cursor.at -= 1;
  cursor.nextContent();
  if (cursor.column > column) giveUp();
  return `${lines.join("\n")}${header.length === 2 ? "\n" : ""}`;
}

function spacesAt(text: string, offset: number): number {
  let end = offset;
  while (text.charCodeAt(end) === space) end += 1;
  return end - offset;
}
