import { styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "magenta";

/** A line of the screen, as pieces with their styles; colours are added when it is painted. */
export type ScreenLine = readonly Span[];

export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export const blank: ScreenLine = [];

export function plain(text: string): Span {
  return { text };
}

export function styled(style: Style, text: string): Span {
  return { text, style };
}

export function lineText(line: ScreenLine): string {
  return line.map(({ text }) => text).join("");
}

/** With escape sequences for a terminal that has colours. */
export function paint(line: ScreenLine): string {
  return line
    .map(({ text, style }) => (style === undefined ? text : styleText(style, text, { validateStream: false })))
    .join("");
}

/** The left part and, at the right edge, the right part if there is room for it. */
export function spread(left: ScreenLine, right: ScreenLine, columns: number): ScreenLine {
  const room = columns - lineText(left).length - lineText(right).length;
  return room < 2 ? left : [...left, plain(" ".repeat(room)), ...right];
}

/** Exactly so wide. */
export function fitted(line: ScreenLine, columns: number): ScreenLine {
  const kept = cut(line, columns);
  return [...kept, plain(" ".repeat(columns - lineText(kept).length))];
}

function cut(line: ScreenLine, columns: number): ScreenLine {
  let room = columns;
  return line.flatMap((span) => {
    const text = span.text.slice(0, Math.max(room, 0));
    room -= span.text.length;
    return text === "" ? [] : [{ ...span, text }];
  });
}

/** Lines of whole words; a word that is longer than a line has one to itself. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
