import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { runs, seed } from "../../../testing/random/seed.ts";
import { describeWithData, istioData } from "../../../testing/shared-data.ts";
import { type Slice, splitDocuments } from "../split.ts";
import { readDocument, readThoroughly, type YamlDocument } from "../yaml.ts";
import { readQuickly } from "./quick-document.ts";

const root = join(import.meta.dirname, "../../../..");

/** Everything that callers see of a document, as far as it is known without nodes. */
function seen(document: YamlDocument | undefined) {
  const { value, line, issues = [] } = document ?? {};
  const places = [document?.locate(""), document?.locate("metadata.name"), document?.locateLater("metadata.name")];
  // The text shows the order of keys.
  return { value, text: JSON.stringify(value), line, issues, places };
}

/** Whether the text is read quickly. If so, the parser must agree in everything. */
function isReadQuickly(slice: Slice): boolean {
  if (readQuickly(slice.text) === undefined) return false;
  const [quick, thorough] = [readDocument(slice, "a.yaml"), readThoroughly(slice, "a.yaml")].map(seen);
  // The comparison of the test runner is slow. Its report is needed for a difference only.
  if (!isDeepStrictEqual(quick, thorough)) expect({ ...quick, slice }).toStrictEqual({ ...thorough, slice });
  return true;
}

function quickDocuments(text: string): readonly boolean[] {
  return Array.from(splitDocuments(text), isReadQuickly);
}

/** Values as users write them: names, numbers, texts that look like something else. */
const scalar = fc.oneof(
  fc.constantFrom("", "x", "1", "true", "null", "~", "- a", "a: b", "# c", "10.0.0.1", "2001:db8::", "a #b", "'", '"'),
  fc.constantFrom(
    "0x1f",
    "1e3",
    ".5",
    "-",
    "---",
    "[a",
    "{{ x }}",
    "*.example.com",
    "*a",
    "&a",
    "é",
    "\u{1F600}",
    "a\nb\n",
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
  fc.boolean(),
  fc.constant(null),
  fc.string(),
);
const key = fc.oneof(
  fc.constantFrom(
    "name",
    "metadata",
    "hosts",
    "app.kubernetes.io/name",
    "x-y",
    "1",
    "true",
    "__proto__",
    "<<",
    "a b",
    "é",
  ),
  fc.string({ maxLength: 8 }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const document = fc.tuple(value, value).map(([spec, labels]) => ({ kind: "X", metadata: { labels, name: "x" }, spec }));

const printed = fc
  .tuple(document, fc.constantFrom("json", "wide json", "block", "list in its key's column", "quoted"))
  .map(([object, style]) => {
    if (style === "json") return JSON.stringify(object);
    if (style === "wide json") return JSON.stringify(object, undefined, 2);
    const quotes = style === "quoted" ? ({ defaultStringType: "QUOTE_SINGLE" } as const) : {};
    return stringify(object, { lineWidth: 0, indentSeq: style === "block", aliasDuplicateObjects: false, ...quotes });
  });

/** Parts of texts at the edges of the subset. */
const fragments = [
  ["a: ", "b:\n", "name: x\n", "metadata:\n", "- ", "-\n", "  ", " ", "\n", "\n\n", "\n  ", "\n- ", "\n  - ", "# c\n"],
  ['"', "'", '"x"', "'y'", "''", "[", "]", "{", "}", ",", ": ", ":", " #", "|\n", "|-\n", "|+\n", ">\n", "&a ", "*a"],
  ["!t ", "? ", "%", "@", "~", "null", "1", "-1", "0x1f", "0o7", "1e3", ".5", "1.", "1_000", "012", "+1", ".inf", "-0"],
  ["---", "---\n", "...\n", "<<: ", "\\n", "\\u00e9", "\\x41", "\\", "é", "\u2028", "::", "a b", "a:b", "\r\n", "\t"],
  [
    "{a: 1}",
    "[1, 2]",
    '{"a":1}',
    "{a}",
    "{a:1}",
    "a.b/c: d\n",
    "1: 2\n",
    "\\ud800",
    "\u{1F600}",
    "10.0.0.1",
    "-a",
    "0.",
  ],
].flat();
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat({ max: 3 }),
  added: fc.oneof(fc.constant(""), fc.constantFrom(...fragments)),
});

function edited(text: string, edits: readonly { at: number; removed: number; added: string }[]): string {
  return edits.reduce((now, { at, removed, added }) => {
    const offset = Math.floor(at * now.length);
    return now.slice(0, offset) + added + now.slice(offset + removed);
  }, text);
}

const base = fc.oneof(
  printed,
  fc.constantFrom(
    "a:\n  b: 1\n  c:\n    - d\n    - e: 1\n      f: 2\n",
    "metadata:\n  name: x\nspec:\n- a\n- b: c\n  d: |\n    e\n\n    f\ng: 1 # h\n",
    'a: [1, b, "c"]\nb: {c: d, e: [f]}\n# g\nh: "i"\n',
  ),
  fc.array(fc.constantFrom(...fragments), { maxLength: 15 }).map((parts) => parts.join("")),
);

/** Of each document in the folder, whether it is read quickly. */
function documentsBelow(folder: string): readonly boolean[] {
  const files = globSync("**/*.{yaml,yml}", { cwd: folder });
  return files.flatMap((file) => quickDocuments(readFileSync(join(folder, file), "utf8")));
}

describeWithData(istioData, "Istio's data", () => {
  test("a document that is read quickly is the same as the parser reads it", () => {
    expect(documentsBelow(istioData)).toContain(true);
  });
});

describe("a document that is read quickly", () => {
  test("is the same as the parser reads it, in all examples", () => {
    const quick = documentsBelow(join(root, "examples"));
    expect(quick.length).toBeGreaterThan(10);
    expect(quick.filter((isQuick) => isQuick).length / quick.length).toBeGreaterThan(0.9);
  });

  test("is the same as the parser reads it, for printed objects and their mutants", () => {
    let quick = 0;
    const mutant = fc.tuple(base, fc.array(edit, { maxLength: 3 })).map(([text, edits]) => edited(text, edits));
    fc.assert(
      fc.property(mutant, (text) => {
        quick += quickDocuments(text).filter((isQuick) => isQuick).length;
      }),
      { seed, numRuns: runs(1_000) },
    );
    expect(quick).toBeGreaterThan(runs(100));
  });
});

test.each([
  ["a repeated key", "a: 1\nb: 2\na: 3\n"],
  ["a repeated key in JSON", '{"a": {"b": 1, "b": 2}}'],
  ["a merged mapping", "a:\n  <<: {b: 1}\n"],
  ["an anchor and its alias", "a: &x 1\nb: *x\n"],
  ["a tag", "a: !!str 1\n"],
  ["a second document", "a: 1\n---\nb: 2\n"],
  ["a text of several lines", "a: b\n  c\n"],
  ["a directive", "%YAML 1.1\n---\na: yes\n"],
  ["a tab", "a:\t1\n"],
  ["a number in another form", "a: 0x1f\n"],
  ["deep nesting", `{"a": ${"[".repeat(150)}${"]".repeat(150)}}`],
])("%s is left to the parser", (_, text) => {
  expect(readQuickly(text)).toBeUndefined();
});
