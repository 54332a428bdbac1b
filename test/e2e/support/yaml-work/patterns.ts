/** A document of any length: a head, a repeated unit, an optional second repeated unit, and a tail. */
export interface Pattern {
  readonly head: string;
  readonly first: string;
  readonly second: string;
  readonly tail: string;
}

/** The document of a pattern with about this many characters. */
export function textOf({ head, first, second, tail }: Pattern, length: number): string {
  const share = second === "" ? length : length / 2;
  return head + repeated(first, share) + repeated(second, share) + tail;
}

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.floor(length / Math.max(1, unit.length)));
}

/** Every indicator of YAML, alone and in usual form, and every other token that a lexer treats specially. */
export const units = [
  ["-", "- ", "\n- ", "-\n", "?", "? ", "\n? ", ":", ": ", "\n: ", ",", "[", "]", "{", "}", "::", "[a]: ", "{a: b}"],
  ["&a", "&a ", "- &a\n", "*a", "*a ", "- *a\n", "*a: ", "!", "!a ", "!!str ", "!!map ", "!<constructor> "],
  ["|", "|\n", "| ", ">\n", "|+\n", "- |\n  x\n", "a: >\n  x\n\n", "'", "''", '"', '""', "\\", '\\"', "'a\n", '"a\n'],
  ["#", " #c", "#c\n", " #\n", "%", "%TAG ! a\n", "%TAG !a! b\n", "@", "`", "---", "--- ", "\n---\n", "...", "\n...\n"],
  ["<<: ", "<<: *a\n", "<<: [*a, *a]\n", "<<", "~", "null", "0", "1.", "0x", "1e", "a", "a ", "a: ", "a:\n", "a: 1\n"],
  [" ", "  ", "\t", "\n", "\r", "\r\n", "\n ", "\n\t", "é", "\uFEFF", "\u2028", "\u0000", "\uD800", "!<__proto__> "],
  ["kind: List\n", "items:\n", "- a: b\n", "  a: b\n", " a:\n", "a: &a b\n", "a: &a {b: c}\n", "[a, b]\n"],
].flat();

/** The contexts of a row of units. Block scalars have no end tokens, which once made rows of comments quadratic. */
export const frames = [
  ["", ""],
  ["a: ", "\n"],
  ["a: &a b\nc: |\n  x\n", "\nz: 1\n"],
  ["a: &a {b: c}\nd:\n", "\n"],
  ["a: [", "]\n"],
  ["{a: ", "}"],
  ['a: "', '"\n'],
  ["apiVersion: v1\nkind: List\nitems:\n", "\n"],
  ["apiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: {name: a}\nspec:\n", "\n"],
] as const;

/** Documents that took minutes, or all memory, before the limits existed. */
export const knownPatterns: readonly Pattern[] = [
  { head: "", first: "? ", second: "", tail: "" },
  { head: "a: |\n  x\n", first: "\n", second: " #\n", tail: "" },
  { head: "", first: "- !<constructor> a\n", second: "", tail: "" },
  { head: "a: &a 1\nb:\n", first: "- *a\n", second: "", tail: "" },
  { head: "a: &a {b: 1}\nc:\n  ", first: "<<: *a\n  ", second: "", tail: "" },
  { head: "[", first: ",", second: "", tail: "" },
  { head: "", first: "- ", second: "", tail: "" },
  { head: "", first: "[", second: "]", tail: "" },
  { head: "", first: "{a: ", second: "}", tail: "" },
  { head: "", first: "&a ", second: "", tail: "x" },
  { head: "a: ", first: "]", second: "", tail: "\n" },
  { head: "", first: "a: &a 1\nb: *a\n", second: "", tail: "" },
];
