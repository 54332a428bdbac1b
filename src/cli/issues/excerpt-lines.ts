import { styleText } from "node:util";
import type { Place } from "../../config/config.ts";
import { excerptAt } from "./source-excerpt.ts";

/** How texts are coloured; left as they are where nobody looks. */
export type Styled = (style: Parameters<typeof styleText>[0], text: string) => string;

export function stylesFor(coloured: boolean): Styled {
  return (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
}

export interface ExcerptOptions {
  /** The text that a place speaks of, if it can be had. */
  readonly textOf: (file: string) => string | undefined;
  readonly styled: Styled;
  /** For what is underlined. */
  readonly colour: Parameters<typeof styleText>[0];
}

/** The line of the file at a place, numbered, and below it what is underlined; nothing if it cannot be had. */
export function excerptLines(place: Place | undefined, { textOf, styled, colour }: ExcerptOptions): readonly string[] {
  const text = place && textOf(place.file);
  const excerpt = text === undefined || place === undefined ? undefined : excerptAt(text, place);
  if (place === undefined || excerpt === undefined) return [];
  const number = String(place.line).padStart(5);
  return [
    `${styled("dim", `${number} |`)} ${excerpt.line}`,
    `${styled("dim", `${" ".repeat(number.length)} |`)} ${styled(colour, excerpt.underline)}`,
  ];
}

/** `file:line:column: `, for editors that jump to places; empty where there is none. */
export function placeText(place: Place | undefined, styled: Styled): string {
  return place === undefined ? "" : `${styled("bold", `${place.file}:${place.line}:${place.column}:`)} `;
}

/** Names and values are the user's own, and may hold anything. */
export function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}
