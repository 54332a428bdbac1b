import { expect, test } from "vitest";
import { applied, mutationsOf } from "./mutations.ts";

/** The mutants of a text, each as the whole text. */
function mutantsOf(text: string): readonly string[] {
  return mutationsOf("a.ts", text).map((mutation) => applied(text, mutation));
}

test.each([
  ["const a = b === c;", ["const a = (b !== c);"]],
  ["const a = b && c;", ["const a = (b || c);"]],
  ["const a = b ?? c;", ["const a = (b);"]],
  ["const a = !b;", ["const a = (b);"]],
  ["const a = b?.c;", ["const a = b.c;"]],
  ["const a = true;", ["const a = false;"]],
  ["const a = 5;", ["const a = (5 + 1);"]],
  ['const a = "b";', ['const a = "";']],
  ["const a = [b];", ["const a = [];"]],
  ["const a = b.some(c);", ["const a = b.every(c);"]],
  ["const a = b.filter(c);", ["const a = b;"]],
  ["const a = Math.max(b, c);", ["const a = Math.min(b, c);"]],
  ["const a = f(b, c);", ["const a = f(c, b);"]],
  ["const a = b ? c : d;", ["const a = true ? c : d;", "const a = false ? c : d;"]],
  ["if (a) b();", ["if (true) b();", "if (false) b();", "if (a) ;"]],
  ["while (a) b();", ["while (false) b();", "while (a) ;"]],
  [
    "for (const a of b) { a++; continue; }",
    ["for (const a of b) { ; continue; }", "for (const a of b) { a--; continue; }", "for (const a of b) { a++; ; }"],
  ],
  ["function f() { return a; }", ["function f() { return; }"]],
  ["function f() { return; }", ["function f() { ; }"]],
])("%s has the expected mutations", (text, mutants) => {
  expect(mutantsOf(text)).toEqual(mutants);
});

test.each([
  'import { a } from "b";',
  "type A = 1 | 2;",
  "const a: 5 = b as 5;",
  "const a = { b: c };",
  'assert(a > 5, "five");',
  'throw new Error("five");',
  "function f() { return undefined; }",
])("%s has no mutation", (text) => {
  expect(mutantsOf(text)).toEqual([]);
});
