import { error, errorUnless, type Finding, warning } from "../finding.ts";
import { readExpression } from "../grammar/re2/read-expression.ts";

/** Istio's limit in bytes. */
const maxLength = 1024;

/** Envoy's default limit, unless the bootstrap sets another. */
const stockProgramSize = 100;

/**
 * A regular expression that Envoy accepts. For an invalid one, Envoy refuses the whole route configuration, which on a
 * shared gateway affects every team. The check therefore parses it like RE2, the engine of Envoy.
 */
export function regex(pattern: string, path: string): readonly Finding[] {
  if (pattern === "") return [error(path, { code: "bad-regex", message: "a regular expression is missing" })];
  const length = Buffer.byteLength(pattern);
  if (length > maxLength) {
    const message = `a regular expression has at most ${maxLength} bytes, not ${length}`;
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
    message: `RE2 compiles it to about ${size} instructions, and Envoy's default limit is ${stockProgramSize}`,
    hint: "binnacle bootstrap allows 32768; elsewhere set re2.max_program_size.error_level",
  });
}

/** The replacement of a match, where `\1` is its first group. If Envoy cannot replace, it leaves the text unchanged. */
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
