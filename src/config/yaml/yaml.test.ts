import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../../testing/random/seed.ts";
import { decodeText } from "./characters.ts";
import { parseDocuments, type YamlDocument } from "./yaml.ts";

function only(text: string): YamlDocument {
  const [document, ...others] = parseDocuments(text, "a.yaml");
  if (document === undefined || others.length > 0) throw new Error("expected one document");
  return document;
}

const summary = ({ issues }: YamlDocument): readonly string[] =>
  issues.map(({ severity, code, place }) => `${severity} ${code} ${place?.line}:${place?.column}`);

describe("parseDocuments", () => {
  test.each([
    ["a tab as indentation", "a:\n\tb: 1\n", ["error bad-yaml 2:1"]],
    ["a double quote without end: where it began", 'a: 1\nb: "x\nc: 2\n', ["error bad-yaml 2:4"]],
    ["a single quote without end", "a: 'x\n", ["error bad-yaml 1:4"]],
    ["a bracket without end: where it began", "a: [1, 2\nb: 1\n", ["error bad-yaml 1:4"]],
    ["two values on one line", "a: b: c\n", ["error bad-yaml 1:4"]],
    [
      "each key that is there twice",
      "a: 1\nb:\n  c: 1\n  c: 2\na: 3\n",
      ["error duplicate-key 4:3", "error duplicate-key 5:1"],
    ],
    ["a key that is no text", "? [a]\n: 1\n", ["error bad-yaml 1:3"]],
    ["an alias without anchor", "a: *x\n", ["error unknown-anchor 1:4"]],
    ["an alias within its anchor", "a: &a\n  b: *a\n", ["error recursive-alias 2:6"]],
    ["a character that is not text", "a: x\u0000\n", ["error bad-yaml 1:5"]],
    ["bytes that were not UTF-8", `a: 1\nb: f${decodeText(Buffer.of(0xfc))}r\n`, ["error not-utf8 2:5"]],
    ["something to merge that is no mapping", "a:\n  <<: 5\n", ["error bad-yaml 1:1"]],
    ["a tag we do not know, as a warning", "a: !secret x\n", ["warning yaml-warning 1:4"]],
  ])("reports %s", (_, text, issues) => {
    expect(summary(only(text))).toEqual(issues);
  });

  test("nesting without end is refused, not followed", () => {
    expect(summary(only("[".repeat(20_000)))).not.toEqual([]);
    expect(summary(only(`a: ${"{b: ".repeat(20_000)}`))).not.toEqual([]);
  });

  test("a character that may have been meant is no mistake: all that YAML allows, in whatever script", () => {
    const text = "\t#~\u0085\u00A0é\u2028語\uFFFD😀".replace("\t", "");
    expect(only(`a: "x${text}"\n`)).toMatchObject({ value: { a: `x${text}` }, issues: [] });
  });

  test("a document beyond reason is refused before anyone waits for it, and its neighbours are read", () => {
    const [large, small] = parseDocuments(`a: ${"x".repeat(2 * 1024 * 1024)}\n---\nb: 1\n`, "a.yaml");
    expect(large?.issues).toMatchObject([{ code: "too-large", place: { line: 1, column: 1 } }]);
    expect(large?.value).toBeUndefined();
    expect(small).toMatchObject({ value: { b: 1 }, issues: [] });
  });

  test("two objects in one document, for want of a marker, are nobody's guess", () => {
    const { value, issues } = only("kind: A\nspec: {}\nkind: B\nspec: {}\n");
    expect(value).toBeUndefined();
    expect(issues.map(({ code }) => code)).toEqual(["duplicate-key", "duplicate-key"]);
  });

  test("a mapping may have tens of thousands of keys", () => {
    const keys = Array.from({ length: 50_000 }, (_, index) => `k${index}: 1\n`).join("");
    expect(summary(only(`${keys}k7: 2\n`))).toEqual(["error duplicate-key 50001:1"]);
  });

  test("aliases may be used as often as people do", () => {
    const uses = Array.from({ length: 1000 }, (_, index) => `k${index}: *base`).join("\n");
    expect(only(`base: &base {a: 1, b: [2, 3]}\n${uses}\n`).issues).toEqual([]);
  });

  test("merge keys bring their fields in, and may be overruled", () => {
    const { value } = only("base: &base {a: 1, b: 2}\nuse:\n  <<: *base\n  b: 3\n");
    expect(value).toEqual({ base: { a: 1, b: 2 }, use: { a: 1, b: 3 } });
  });

  test("values have the types of JSON: keys are text, dates and old booleans stay text", () => {
    const { value } = only("80: web\ntrue: x\nday: 2024-05-17\nyes: on\n");
    expect(value).toEqual({ 80: "web", true: "x", day: "2024-05-17", yes: "on" });
  });

  test("a directive does not change what values mean", () => {
    expect(only("%YAML 1.1\n---\na: yes\nb: 010\nc: 1:30\n").value).toEqual({ a: "yes", b: 10, c: "1:30" });
  });

  test("an IPv6 address at the end of a list in brackets stays an address", () => {
    expect(only("a: [10.0.0.1, 2001:db8::]\nb: [fe80::, ::1]\n").value).toEqual({
      a: ["10.0.0.1", "2001:db8::"],
      b: ["fe80::", "::1"],
    });
  });

  test("a byte-order mark and carriage returns change nothing", () => {
    const document = only("\uFEFFa: 1\r\nb:\r\n  c: 2\r\n");
    expect(document.value).toEqual({ a: 1, b: { c: 2 } });
    expect(document.locate("b.c")).toEqual({ file: "a.yaml", line: 3, column: 3 });
    expect(document.locate("a").column).toBe(1);
  });

  test("byte-order marks in the middle, from files that were joined, change nothing", () => {
    const documents = parseDocuments("\uFEFFa: 1\n\uFEFF---\nb: 2\n---\n\uFEFFc: 3\n", "a.yaml");
    expect(documents.map(({ value, issues }) => [value, issues])).toEqual([
      [{ a: 1 }, []],
      [{ b: 2 }, []],
      [{ c: 3 }, []],
    ]);
  });

  test("empty documents are left out, and a document's line is that of its content", () => {
    const documents = parseDocuments("---\n# nothing\n---\n\n# text\na: 1\n---\n---\nb: 2\n", "a.yaml");
    expect(documents.map(({ line, value }) => [line, value])).toEqual([
      [6, { a: 1 }],
      [9, { b: 2 }],
    ]);
  });

  test("whatever stands in one document, its neighbours are read and nothing is thrown", () => {
    const fragment = fc.constantFrom(
      ..."[]{}\"'&*!|>:-?#%@`,\t\n ab1".split(""),
      "---",
      "- ",
      ": ",
      "&a",
      "*a",
      "<<: *a",
    );
    const anything = fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(anything, (text) => {
        const documents = parseDocuments(`first: 1\n---\n${text}\n---\nlast: 1\n`, "a.yaml");
        expect(documents.at(0)).toMatchObject({ value: { first: 1 }, issues: [] });
        expect(documents.at(-1)).toMatchObject({ value: { last: 1 }, issues: [] });
      }),
      { seed, numRuns: runs(500) },
    );
  });
});

describe("locate", () => {
  const text = [
    "# a comment", //                   1
    "spec: &spec", //                   2
    "  http:", //                       3
    "    - route:", //                  4
    "        - weight: 1", //           5
    "        - {weight: 2, host: b}", // 6
    "  export_to: ['*']", //            7
    "  labels:", //                     8
    "    example.com/app: x", //        9
    "copy: *spec", //                  10
    "merged:", //                      11
    "  <<: *spec", //                  12
    "  own: 1", //                     13
  ].join("\n");

  test.each([
    ["a key", "spec.http", 3, 3],
    ["an element", "spec.http[0]", 4, 7],
    ["a key within elements", "spec.http[0].route[0].weight", 5, 11],
    ["a key in braces", "spec.http[0].route[1].host", 6, 23],
    ["a key in its other spelling", "spec.exportTo[0]", 7, 15],
    ["a key with dots", 'spec.labels["example.com/app"]', 9, 5],
    ["through an alias", "copy.http[0]", 4, 7],
    ["through a merge key", "merged.labels", 8, 3],
    ["beside a merge key", "merged.own", 13, 3],
    ["a missing field: the nearest ancestor", "spec.http[0].route[0].host.port", 5, 11],
    ["a missing element: the list", "spec.http[7].route", 3, 3],
    ["nothing known: the document", "status.phase", 2, 1],
    ["the document itself", "", 2, 1],
  ])("%s", (_, path, line, column) => {
    const document = only(text);
    expect(document.locate(path)).toEqual({ file: "a.yaml", line, column });
    expect(document.locateLater(path)).toEqual({ file: "a.yaml", line, column });
  });

  test("lines count from the start of the file, not of the document", () => {
    const [, second] = parseDocuments("a: 1\n---\nb:\n  c: 1\n", "a.yaml");
    expect(second?.locateLater("b.c")).toEqual({ file: "a.yaml", line: 4, column: 3 });
  });
});
