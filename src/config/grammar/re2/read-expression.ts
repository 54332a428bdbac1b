import { RE2JS, RE2JSException } from "re2js";
import { maxProgramSize } from "./program-limit.ts";
import { programSize } from "./program-size.ts";
import { unroll } from "./unroll.ts";

/** An expression as parsed by RE2, the engine of Envoy. */
export type Expression =
  | { readonly type: "good"; readonly programSize: number; readonly groups: number }
  | { readonly type: "bad"; readonly reason: string };

/** Bounded in time and memory: a too large expression is not compiled. */
export function readExpression(pattern: string): Expression {
  if (!pattern.isWellFormed()) return { type: "bad", reason: "it contains half of a surrogate pair" };
  const wide = wideEscape(pattern);
  if (wide !== undefined) return { type: "bad", reason: `Envoy matches single bytes, and ${wide} is longer` };
  const { length, copies } = unroll(pattern);
  if (length > maxProgramSize) return tooLarge;
  if (copies > maxCopies) return { type: "bad", reason: `a part would be repeated more than ${maxCopies} times` };
  try {
    const compiled = RE2JS.compile(pattern);
    const size = programSize(compiled, maxProgramSize);
    return size > maxProgramSize ? tooLarge : { type: "good", programSize: size, groups: compiled.groupCount() };
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    return { type: "bad", reason: thrown.message.replace(/^error parsing regexp: /u, "") };
  }
}

/**
 * An escape for a code point beyond U+00FF. Envoy compiles expressions for bytes (Latin-1), which have no such code
 * point. Older versions compile them for UTF-8. Accepted expressions work in both.
 */
function wideEscape(pattern: string): string | undefined {
  for (const { 0: escape, groups } of pattern.matchAll(/\\Q[^]*?(?:\\E|$)|\\x\{(?<code>[\dA-Fa-f]+)\}|\\[^]/gu)) {
    if (Number.parseInt(groups?.["code"] ?? "0", 16) > 0xff) return escape;
  }
  return undefined;
}

/** RE2's limit for nested counted repetitions. */
const maxCopies = 1000;

const tooLarge: Expression = {
  type: "bad",
  reason: `RE2 would compile it to more than ${maxProgramSize} instructions`,
};
