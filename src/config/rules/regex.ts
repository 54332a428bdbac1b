import { error, errorUnless, type Finding, warning } from "../finding.ts";
import { readExpression } from "../grammar/re2/read-expression.ts";

/** What Istio lets pass. */
const maxLength = 1024;

/** What an Envoy takes whose bootstrap does not say otherwise. */
const stockProgramSize = 100;

/**
 * A regular expression that Envoy accepts. Envoy refuses a whole route configuration for one that it does not: on a
 * shared gateway, everybody's. So it is read as Envoy's engine, RE2, reads it.
 */
export function regex(pattern: string, path: string): readonly Finding[] {
  if (pattern === "") return [error(path, { code: "bad-regex", message: "a regular expression is missing" })];
  if (pattern.length > maxLength) {
    const message = `a regular expression has at most ${maxLength} characters, not ${pattern.length}`;
    return [error(path, { code: "bad-regex", message })];
  }
  const expression = readExpression(pattern);
  if (expression.type === "bad") {
    const message = `Envoy (RE2) does not accept the regular expression "${pattern}": ${expression.reason}`;
    return [error(path, { code: "bad-regex", message })];
  }
  return expression.programSize > stockProgramSize ? [large(expression.programSize, path)] : [];
}

function large(size: number, path: string): Finding {
  return warning(path, {
    code: "large-regex",
    message: `RE2 makes a program of about ${size} instructions of it, and an Envoy takes ${stockProgramSize} unless its bootstrap allows more`,
    hint: "binnacle bootstrap allows 32768; elsewhere set re2.max_program_size.error_level",
  });
}

/** What a match is replaced by, where `\1` stands for its first group. Envoy leaves texts as they are if it cannot. */
export function substitution(text: string, pattern: string, path: string): readonly Finding[] {
  const expression = readExpression(pattern);
  if (expression.type === "bad") return [];
  const missing = [...text.matchAll(/\\(?<sign>[^]?)/gu)]
    .map(({ groups }) => groups?.["sign"] ?? "")
    .find((sign) => sign !== "\\" && !(/\d/u.test(sign) && Number(sign) <= expression.groups));
  return errorUnless(missing === undefined, path, {
    code: "bad-regex",
    message: `"${text}" asks for "\\${missing}", and the expression has ${expression.groups} groups: nothing would be replaced`,
    hint: "write \\1 for the first group, \\\\ for a backslash",
  }).map((finding) => ({ ...finding, severity: "warning" }));
}
