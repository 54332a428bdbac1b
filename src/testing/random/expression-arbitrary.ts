import fc from "fast-check";

const characters = "a b k s K Z é ß ſ 😀 / - _ # , \u0000 \uffff".split(" ");
const escapes =
  "\\d \\D \\w \\W \\s \\S \\b \\B \\A \\z \\Z \\C \\Qa*b\\E \\Qa \\E \\n \\t \\a \\f \\r \\v \\e \\h \\R \\X \\K \\G \\N \\0 \\07 \\101 \\1 \\8 \\x41 \\x4 \\x{10FFFF} \\x{110000} \\x{} \\u0041 \\cA \\i \\_ \\- \\/ \\é \\k<n> \\g1 \\";
const categories = "\\pL \\PN \\p{Greek} \\p{^Lu} \\p{Zs} \\p{Foo} \\p{Any} \\p{L \\p";
const classes =
  ". [a-z] [^a] [^] []a] [] [a [z-a] [a-\\d] [\\d-z] [[:alpha:]] [[:^alpha:]] [[:foo:]] [[:word:]] [^[:space:]x] [\\pL\\d] [^\\pL] [\\p{Foo}] [\\b] [\\Q]\\E] [a-] [a-b-c] [é-ü] [\\x{0}-\\x{10FFFF}] [a{9}] [a&&b]";
const groups =
  "(?i) (?s) (?m) (?U) (?-i) (?x) (?i (?i-s:b) (?P<n>a) (?P<m>b) (?<o>a) (?P=n) (?P>n) (?'n'a) (?P<1a>x) (?P<>x) (?P<é>x) (?#c) (?>a) (?|a) (?=a) (?!a) (?<=a) (?<!a)";
const signs = "^ $ | || ( ) * + ? { } {2} {2,1} {,3}";

/** Once, a repetition of each sort; in braces also counts that RE2 does not take, or takes for plain text. */
const repetitions =
  "* + ? *? +? ?? {2} {0} {1,3} {3,} {0,} {1,}? {30} {1,30} {0,2} {1,900} {1000} {1001} {1,1000} {1000,} {1001,} {2,1} {,3} ** ++ ?* {2}{3} {-1} {99999999999}";

const piece = fc.constantFrom(
  ...characters,
  ...[escapes, categories, classes, groups, signs].flatMap((words) => words.split(" ")),
);

/** Regular expressions, and texts that are nearly some: each notation of RE2, of its relatives, and their mistakes. */
export const expressionArbitrary: fc.Arbitrary<string> = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 0.6, withCrossShrink: true },
    piece,
    fc.tuple(tie("expression"), tie("expression")).map((both) => both.join("")),
    fc.tuple(tie("expression"), tie("expression")).map((both) => both.join("|")),
    fc
      .tuple(fc.constantFrom("(", "(?:", "(?i:"), tie("expression"), fc.constantFrom("", ...repetitions.split(" ")))
      .map(([open, inner, repetition]) => `${open}${inner})${repetition}`),
    fc.tuple(tie("expression"), fc.constantFrom(...repetitions.split(" "))).map((both) => both.join("")),
  ),
})).expression;
