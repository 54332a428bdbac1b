import { RE2JS } from "re2js";
import { classSize } from "./class-size.ts";
import { tokens, unroll } from "./unroll.ts";

/** An instruction of `re2js`. As in Go, it works on characters, but RE2 works on bytes. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  /** The second target of an alternative, or the flags of characters. */
  readonly arg: number;
  /** One code point, or pairs of first and last code point. */
  readonly runes: Int32Array;
}

interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

/** The operations of `re2js` whose cost is not one instruction. */
const op = { alternative: 1, alternativeMatch: 2, fail: 5, nop: 7, runes: 8, oneRune: 9, any: 10, anyButNewline: 11 };
const foldCase = 1;

const anyRune = Int32Array.of(0, 0x10_ff_ff);
const anyButNewline = Int32Array.of(0, 9, 11, 0x10_ff_ff);

/** The fail instruction and the search loop, one more for a star within a star, and one for a repeated empty group. */
const overhead = 5;

/**
 * Estimates the size of RE2's program for an expression. Envoy limits this size (`re2.max_program_size`). The estimate
 * is never too small, and mostly less than half too large. RE2 has no instructions for alternatives, but lists. An
 * instruction with several predecessors is a jump in such a list. Counting stops beyond `limit`.
 */
export function programSize(compiled: RE2JS, limit = Infinity): number {
  const pattern = compiled.pattern();
  const merged = compiledSize(compiled, classSizer(unmerged(pattern)), limit);
  const separate = separateAlternatives(pattern);
  if (separate === undefined) return merged;
  return Math.max(merged, compiledSize(RE2JS.compile(separate), classSizer(0), limit));
}

/**
 * The expression with groups that keep alternatives apart, if it has any: every dot, and a class that equals the one
 * before. Without the groups `re2js` merges them and the classes beside them into one small class. RE2 does not.
 */
function separateAlternatives(pattern: string): string | undefined {
  const written = Array.from(pattern.matchAll(tokens), ([token]) => token);
  if (!written.includes("|")) return undefined;
  const isSeparate = (token: string, at: number) =>
    token === "." || (/^[[\\]./u.test(token) && written[at - 1] === "|" && written[at - 2] === token);
  const separate = written.map((token, at) => (isSeparate(token, at) ? `(${token})` : token)).join("");
  return separate === pattern ? undefined : separate;
}

type ClassSizer = (runes: Int32Array) => number;

function compiledSize(compiled: RE2JS, sizeOfClass: ClassSizer, limit: number): number {
  const program: Program = compiled.re2().prog;
  const pattern = compiled.pattern();
  let size = overhead + unroll(pattern).leadingBytes + jumpsIn(program, pattern);
  for (const instruction of program.inst) {
    if (size > limit) return size;
    size += sizeOf(instruction, sizeOfClass);
  }
  return hasNestedRepetition(pattern) ? Math.ceil((size * 9) / 8) : size;
}

/** `re2js` simplifies a star within a star further than RE2. */
function hasNestedRepetition(pattern: string): boolean {
  return /(?:[*+?]|,\})\)+(?:[*+]|\{\d+,\})/u.test(pattern);
}

/**
 * If all alternatives are single characters or classes, `re2js` merges them into one class. RE2 does so too, but equal
 * alternatives, and those for any character, may stay separate. Returns the instructions that this may add to a class.
 */
function unmerged(pattern: string): number {
  const apart = pattern.includes("|") ? 2 : 0;
  const dots = [...pattern.matchAll(/[.\]dswDSW}]\||\|(?:[.[]|\\[dswDSWpP])/gu)].length;
  return apart + dots * classSize(anyRune);
}

function classSizer(extra: number): ClassSizer {
  const sizes = new Map<Int32Array, number>();
  return (runes) => {
    const size = sizes.get(runes) ?? classSize(runes) + extra;
    sizes.set(runes, size);
    return size;
  };
}

/** The extra instructions per alternative that RE2 keeps and `re2js` simplifies. */
function unsimplified(pattern: string): number {
  return hasNestedRepetition(pattern) ? 2 : 1 / 2;
}

function jumpsIn({ inst: instructions, start }: Program, pattern: string): number {
  const reached = new Uint32Array(instructions.length);
  const target = targetsIn(instructions);
  const count = (at: number): void => void (reached[target(at)] = (reached[target(at)] ?? 0) + 1);
  count(start);
  for (const { op: operation, out, arg } of instructions) {
    if (operation !== op.nop && operation !== op.fail) count(out);
    if (isAlternative(operation)) count(arg);
  }
  const alternatives = instructions.filter((instruction) => isAlternative(instruction.op));
  const jumps = alternatives.flatMap(({ out, arg }) => [out, arg]).filter((to) => (reached[target(to)] ?? 0) > 1);
  return jumps.length + Math.ceil(alternatives.length * unsimplified(pattern));
}

function isAlternative(operation: number): boolean {
  return operation === op.alternative || operation === op.alternativeMatch;
}

/** Follows a jump past instructions that do nothing. */
function targetsIn(instructions: readonly Instruction[]): (at: number) => number {
  return (at) => {
    let to = at;
    for (let next = instructions[to]; next?.op === op.nop; next = instructions[to]) to = next.out;
    return to;
  };
}

function sizeOf({ op: operation, arg, runes }: Instruction, sizeOfClass: ClassSizer): number {
  switch (operation) {
    case op.alternative:
    case op.alternativeMatch:
    case op.fail:
      return 0;
    case op.any:
      return sizeOfClass(anyRune);
    case op.anyButNewline:
      return sizeOfClass(anyButNewline);
    case op.runes:
    case op.oneRune:
      return runes.length === 1 ? characterSize(runes[0] ?? 0, (arg & foldCase) !== 0) : sizeOfClass(runes);
    default:
      return 1;
  }
}

/** Largest number of case variants of a character. */
const maxForms = 4;

/** One instruction per byte; both cases of an ASCII letter are one, except where Unicode has a third form (K, S). */
function characterSize(rune: number, ignoresCase: boolean): number {
  const character = String.fromCodePoint(rune);
  const bytes = Buffer.byteLength(character);
  if (!ignoresCase) return bytes;
  if (/[ks]/iu.test(character)) return maxForms;
  return bytes === 1 ? 1 : maxForms * (bytes + 1);
}
