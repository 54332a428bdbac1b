import { type TextPattern, readRegex } from "../../explain/route/text-pattern.ts";

/** A text that the pattern matches; undefined if none was found. Regular expressions have many texts and no simplest one. */
export function sampleText({ type, value }: TextPattern): string | undefined {
  return type === "regex" ? sampleOfRegex(value) : value;
}

/** Simple forms that are frequent in routes, and a text for each. */
const simplifications: readonly (readonly [RegExp, string])[] = [
  [/\(\?i\)/gu, ""],
  [/\(\?(?:P?<\w+>|:)/gu, "("],
  [/\[\^[^\]]*\](?:\+|\*|\{[^}]*\})?/gu, "x"],
  [/\[a-z[^\]]*\](?:\+|\*|\{[^}]*\})?/giu, "a"],
  [/(?:\\d|\[0-9\])(?:\+|\*|\{[^}]*\})?/gu, "1"],
  [/\\w(?:\+|\*|\{[^}]*\})?/gu, "a"],
  [/\.\*/gu, ""],
  [/\.\+/gu, "x"],
  [/\(([^()|]*)(?:\|[^()]*)?\)\??/gu, "$1"],
  [/\\(.)/gu, "$1"],
  [/[\^$?]/gu, ""],
];

function sampleOfRegex(regex: string): string | undefined {
  const whole = readRegex(regex, "whole");
  const simple = simplifications.reduce((text, [form, sample]) => text.replaceAll(form, sample), regex);
  const [first = ""] = regex.split("|", 1);
  return [simple, first, "x", "1", "/", ""].find((text) => whole?.test(text) === true);
}
