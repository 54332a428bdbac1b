import { type Level, type Message, messageLocation, subjectText } from "../../config/analysis/message.ts";
import { counted } from "../../lib/counted.ts";
import { excerptLines, oneLine, placeText, stylesFor } from "./excerpt-lines.ts";
import type { IssueTextOptions } from "./issue-text.ts";

const colours = { Error: "red", Warning: "yellow", Info: "cyan" } as const satisfies Record<Level, string>;

/**
 * Formats a message for people, like an issue. The first line is `file:line:column: level CODE object: sentence`. The
 * line of the file follows, with the relevant part underlined.
 */
export function messageText(message: Message, { textOf, coloured }: IssueTextOptions): string {
  const { type, text } = message;
  const styled = stylesFor(coloured);
  const colour = colours[type.level];
  const place = messageLocation(message);
  const subject = [type.code, subjectText(message)].filter((word) => word.trim() !== "").join(" ");
  const head = `${placeText(place, styled)}${styled(colour, type.level.toLowerCase())} ${oneLine(subject)}: ${oneLine(text)}`;
  return [head, ...excerptLines(place, { textOf, styled, colour })].join("\n");
}

/** `2 errors, 1 warning and 3 infos`, or `no findings`. */
export function messageCount(messages: readonly Message[]): string {
  const nouns = [
    ["Error", "error"],
    ["Warning", "warning"],
    ["Info", "info"],
  ] as const;
  const counts = nouns.flatMap(([level, noun]) => {
    const count = messages.filter(({ type }) => type.level === level).length;
    return count === 0 ? [] : [counted(count, noun)];
  });
  return counts.length === 0 ? "no findings" : new Intl.ListFormat("en-GB").format(counts);
}
