import { styleText } from "node:util";
import type { SourceLocation } from "../../config/config.ts";
import { cutText } from "../../lib/cut-text.ts";
import { excerptAt } from "./source-excerpt.ts";

/** Colours texts; leaves them unchanged without a terminal. */
export type Styled = (style: Parameters<typeof styleText>[0], text: string) => string;

export function stylesFor(coloured: boolean): Styled {
  return (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
}

export interface ExcerptOptions {
  /** The text that a place speaks of, if it can be had. */
  readonly textOf: (file: string) => string | undefined;
  readonly styled: Styled;
  /** The colour of the underlined part. */
  readonly colour: Parameters<typeof styleText>[0];
}

/** The numbered line of the file, and an underline below it; empty if the file is unreadable. */
export function excerptLines(
  place: SourceLocation | undefined,
  { textOf, styled, colour }: ExcerptOptions,
): readonly string[] {
  const text = place && textOf(place.file);
  const excerpt = text === undefined || place === undefined ? undefined : excerptAt(text, place);
  if (place === undefined || excerpt === undefined) return [];
  const number = String(place.line).padStart(5);
  return [
    `${styled("dim", `${number} |`)} ${excerpt.line}`,
    `${styled("dim", `${" ".repeat(number.length)} |`)} ${styled(colour, excerpt.underline)}`,
  ];
}

/** `file:line:column: `, a form that editors recognize. Empty without a place. */
export function placeText(place: SourceLocation | undefined, styled: Styled): string {
  return place === undefined ? "" : `${styled("bold", `${place.file}:${place.line}:${place.column}:`)} `;
}

/** Longer texts are cut: names and values that messages repeat may have any length. */
const maxTextLength = 600;

/** Names and values are the user's own, and may hold anything. */
export function oneLine(text: string): string {
  return cutText(text, maxTextLength).replaceAll(/\p{Cc}+/gu, " ");
}
