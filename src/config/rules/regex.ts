import { errorFrom } from "../../lib/errors.ts";
import { error, type Finding } from "../finding.ts";

// Each after an even number of backslashes: an escaped one would make it a literal.
const lookaround = /(?<!\\)(?:\\\\)*\(\?<?[=!]/u;
const backreference = /(?<!\\)(?:\\\\)*\\[1-9]/u;

/** What Istio lets pass; the program that Envoy makes of an expression is limited as well, and longer still. */
const maxLength = 1024;

/**
 * A regular expression that Envoy will accept. Its engine, RE2, knows neither lookaround nor backreferences, and has
 * a few notations of its own, which are put into ours before JavaScript judges the rest.
 */
export function regex(pattern: string, path: string): readonly Finding[] {
  if (pattern === "") return [error(path, { code: "bad-regex", message: "a regular expression is missing" })];
  if (pattern.length > maxLength) {
    const message = `a regular expression has at most ${maxLength} characters, not ${pattern.length}`;
    return [error(path, { code: "bad-regex", message })];
  }
  if (lookaround.test(pattern)) return [unsupported(path, "lookahead or lookbehind")];
  if (backreference.test(pattern)) return [unsupported(path, "backreferences")];
  try {
    compile(pattern);
    return [];
  } catch (cause) {
    const { message } = errorFrom(cause);
    const reason = message.slice(message.lastIndexOf(": ") + 2).toLowerCase();
    return [error(path, { code: "bad-regex", message: `"${pattern}" is not a regular expression: ${reason}` })];
  }
}

/** RE2's `\Q…\E` (literal text), `(?P<name>…)` and `(?i)` have no counterpart that JavaScript would read. */
function compile(pattern: string): RegExp {
  const translated = pattern
    .replaceAll(/\\Q.*?(?:\\E|$)/gu, "literal")
    .replaceAll("(?P<", "(?<")
    .replaceAll(/\(\?[imsU-]+(?=[):])/gu, "(?:");
  return new RegExp(translated);
}

function unsupported(path: string, what: string): Finding {
  return error(path, { code: "bad-regex", message: `Envoy's regular expressions (RE2) have no ${what}` });
}
