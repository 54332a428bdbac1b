import type { StringMatcher } from "#gen/envoy/type/matcher/v3/string_pb.js";

/** A pattern that a text is compared with. */
export interface TextPattern {
  readonly type: "exact" | "prefix" | "suffix" | "contains" | "regex" | "under";
  readonly value: string;
  readonly ignoreCase: boolean;
}

/** A condition of a route: whether it holds, and a sentence that is true of the request either way. */
export interface Fact {
  readonly holds: boolean;
  readonly text: string;
}

/** A pattern in words, and its contrary. */
const verbs: Readonly<Record<TextPattern["type"], readonly [string, string]>> = {
  exact: ["is", "is not"],
  prefix: ["starts with", "does not start with"],
  suffix: ["ends with", "does not end with"],
  contains: ["contains", "does not contain"],
  regex: ["matches", "does not match"],
  under: ["is under", "is not under"],
};

/** Compares the text, which is called `subject`, with a pattern. */
export function compare(subject: string, text: string, pattern: TextPattern): Fact {
  const holds = fits(text, pattern);
  const [yes, no] = verbs[pattern.type];
  return { holds, text: `${subject} ${holds ? yes : no} ${pattern.value === "" ? "empty" : pattern.value}` };
}

/** Undefined for extensions, which cannot be evaluated here. */
export function textPatternOf({ matchPattern, ignoreCase }: StringMatcher): TextPattern | undefined {
  switch (matchPattern.case) {
    case "exact":
    case "prefix":
    case "suffix":
    case "contains":
      return { type: matchPattern.case, value: matchPattern.value, ignoreCase };
    case "safeRegex":
      return { type: "regex", value: matchPattern.value.regex, ignoreCase: false };
    case "custom":
    case undefined:
    default:
      return undefined;
  }
}

function fits(text: string, { type, value, ignoreCase }: TextPattern): boolean {
  const [left, right] = ignoreCase ? [text.toLowerCase(), value.toLowerCase()] : [text, value];
  switch (type) {
    case "exact":
      return left === right;
    case "prefix":
      return left.startsWith(right);
    case "suffix":
      return left.endsWith(right);
    case "contains":
      return left.includes(right);
    case "regex":
      return readRegex(value, "whole")?.test(text) ?? false;
    case "under":
    default:
      return `${left}/`.startsWith(`${right}/`);
  }
}

/**
 * Reads RE2 syntax as a JavaScript pattern; both agree on the common syntax. Undefined for patterns that JavaScript
 * cannot read. Such a pattern matches nothing here.
 */
export function readRegex(regex: string, covers: "part" | "whole"): RegExp | undefined {
  const flags = regex.startsWith("(?i)") ? "i" : "";
  const source = regex.replace(/^\(\?i\)/u, "").replaceAll("(?P<", "(?<");
  const scoped = covers === "whole" ? `^(?:${source})$` : source;
  return compiled(scoped, `u${flags}`) ?? compiled(scoped, flags);
}

/** Without `u`, JavaScript accepts needless backslashes, as RE2 does. */
function compiled(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
