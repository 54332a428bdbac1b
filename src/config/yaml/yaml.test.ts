import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocument as parseTheirs } from "yaml";
import { runs, seed } from "../../testing/random/seed.ts";
import { hasErrors } from "../finding.ts";
import type { Issue } from "../issue.ts";
import { decodeText } from "./characters.ts";
import { parseDocuments, type YamlDocument } from "./yaml.ts";

function only(text: string): YamlDocument {
  const [document, ...others] = parseDocuments(text, "a.yaml");
  if (document === undefined || others.length > 0) throw new Error("expected one document");
  return document;
}

const isOurs = ({ code, message }: Issue): boolean => code !== "bad-yaml" || message.includes("merged");

const summary = ({ issues }: YamlDocument): readonly string[] =>
  issues.map(({ severity, code, place }) => `${severity} ${code} ${place?.line}:${place?.column}`);

describe("parseDocuments", () => {
  test.each([
    ["a tab as indentation", "a:\n\tb: 1\n", ["error bad-yaml 2:1"]],
    ["a double quote without end: where it began", 'a: 1\nb: "x\nc: 2\n', ["error bad-yaml 2:4"]],
    ["a single quote without end", "a: 'x\n", ["error bad-yaml 1:4"]],
    ["a bracket without end: where it began", "a: [1, 2\nb: 1\n", ["error bad-yaml 1:4"]],
    ["two values on one line", "a: b: c\n", ["error bad-yaml 1:4"]],
    ["each duplicate key", "a: 1\nb:\n  c: 1\n  c: 2\na: 3\n", ["error duplicate-key 4:3", "error duplicate-key 5:1"]],
    ["a key that is no text", "? [a]\n: 1\n", ["error bad-yaml 1:3"]],
    ["an alias without anchor", "a: *x\n", ["error unknown-anchor 1:4"]],
    ["an alias within its anchor", "a: &a\n  b: *a\n", ["error recursive-alias 2:6"]],
    ["a character that is not text", "a: x\u0000\n", ["error bad-yaml 1:5"]],
    ["bytes that were not UTF-8", `a: 1\nb: f${decodeText(Buffer.of(0xfc))}r\n`, ["error not-utf8 2:5"]],
    ["something to merge that is no mapping", "a:\n  <<: 5\n", ["error bad-yaml 2:7"]],
    ["a tag we do not know, as a warning", "a: !secret x\n", ["warning yaml-warning 1:4"]],
  ])("reports %s", (_, text, issues) => {
    expect(summary(only(text))).toEqual(issues);
  });

  test.each([
    ["brackets", "[".repeat(20_000), "1:201"],
    ["braces", `a: ${"{b: ".repeat(20_000)}`, "1:800"],
    ["dashes", "- ".repeat(20_000), "1:401"],
    ["question marks, which once took minutes", "? ".repeat(1500), "1:401"],
    ["ever deeper lines", Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join(""), "201:202"],
  ])("refuses endless nesting: %s", (_, text, place) => {
    const document = only(text);
    expect(summary(document)).toEqual([`error too-complex ${place}`]);
    expect(document.value).toBeUndefined();
  });

  test("a value may be nested a hundred levels deep, in any style", () => {
    const levels = 100;
    const block = Array.from({ length: levels }, (_, depth) => `${" ".repeat(depth)}a:\n`).join("");
    for (const text of [`${"[".repeat(levels)}${"]".repeat(levels)}`, `${"- ".repeat(levels)}x`, block]) {
      expect(summary(only(text))).toEqual([]);
    }
  });

  test.each([
    ["anchors and tags in a row", `a:\n  ${"&a !b ".repeat(10)}x\n`, "error too-complex 2:27"],
    ["a directive that every tag would repeat", `%TAG !a! ${"x".repeat(300)}\n---\na: 1\n`, "error too-complex 1:1"],
  ])("refuses %s", (_, text, issue) => {
    expect(summary(only(text))).toEqual([issue]);
  });

  test("a document with mistakes gives its identity, and none of its other values", () => {
    const text = "apiVersion: v1\nkind: Service\nmetadata: {name: &n a, labels: {x: y}}\nspec:\n  ? [a]\n  : b\n";
    expect(only(text).value).toEqual({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "a", labels: undefined },
      spec: {},
    });
  });

  test("blank lines and comments change neither values nor places", () => {
    const noise = "\n# x\n   \n\t\n  # y\n#z\n";
    const lines = ["a:", "  - b: |", "      text", "    c: [1,", "      2]", "  - d: 'x'", "e: {f: g}", ""];
    const noisy = only(`${lines.slice(0, 3).join("\n")}\n${lines.slice(3).join(`\n${noise}`)}`);
    expect(noisy).toMatchObject({ value: only(lines.join("\n")).value, issues: [] });
    expect(noisy.locate("a[0].c")).toEqual({ file: "a.yaml", line: 4, column: 5 });
    expect(noisy.locate("a[1].d")).toEqual({ file: "a.yaml", line: 18, column: 5 });
    expect(noisy.locate("e.f")).toEqual({ file: "a.yaml", line: 25, column: 5 });
  });

  test("very many mistakes become a few issues", () => {
    expect(only(`[${",".repeat(10_000)}`).issues.length).toBeLessThan(10);
    expect(only(`a: [${"!x 1, ".repeat(10_000)}]`).issues.length).toBeLessThan(30);
    expect(only("a: *x\n".repeat(10_000)).issues.length).toBeLessThan(30);
  });

  test("gives the same values as the plain parser, for all text that both can read", () => {
    const fragments = [
      [
        "a: ",
        "b: ",
        "- ",
        "? ",
        ": ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "&a ",
        "*a ",
        "!!str ",
        "| ",
        ">\n",
        "'x'",
        '"y"',
        "''",
      ],
      ["\n", "\n", "\n  ", "\n    ", " # c\n", "\n# c\n", "\n\n", "\t", " ", "x", "1", "<<: *a", "\r\n", "|+\n"],
    ].flat();
    const text = fc.array(fc.constantFrom(...fragments), { maxLength: 25 });
    fc.assert(
      fc.property(text, (parts) => {
        const written = `k: &a {c: d}\n${parts.join("")}`;
        // The parser reads an empty key, with or without anchor and tag, differently after a comment or an empty line.
        fc.pre(!/\?\s+(?:[&!]\S+\s+)*:/u.test(written));
        // A line of white space is empty by the specification. The plain parser refuses some of those with a tab.
        fc.pre(!/^[ \t]*\t[ \t]*\r?$/mu.test(written));
        const theirs = parseTheirs(written, { stringKeys: true, merge: true, logLevel: "silent", uniqueKeys: false });
        const { issues, value } = only(written);
        // Only we report repeated keys, and aliases and merges that cannot be followed.
        const isBroken = hasErrors(issues) && (theirs.errors.length > 0 || issues.some(isOurs));
        expect(isBroken ? "broken" : value).toEqual(hasErrors(issues) ? "broken" : theirs.toJS());
        expect(hasErrors(issues)).toBe(isBroken || theirs.errors.length > 0);
      }),
      { seed, numRuns: runs(500) },
    );
  });

  test("every character that YAML allows is accepted, in any script", () => {
    const text = "\t#~\u0085\u00A0é\u2028語\uFFFD😀".replace("\t", "");
    expect(only(`a: "x${text}"\n`)).toMatchObject({ value: { a: `x${text}` }, issues: [] });
  });

  test("an excessive document is refused quickly, and its neighbours are read", () => {
    const [large, small] = parseDocuments(`a: ${"x".repeat(4 * 1024 * 1024)}\n---\nb: 1\n`, "a.yaml");
    expect(large?.issues).toMatchObject([{ code: "too-large", place: { line: 1, column: 1 } }]);
    expect(large?.value).toBeUndefined();
    expect(small).toMatchObject({ value: { b: 1 }, issues: [] });
  });

  test("two objects in one document, without a marker, have no identity", () => {
    const { value, issues } = only("kind: A\nspec: {}\nkind: B\nspec: {}\n");
    expect(value).toBeUndefined();
    expect(issues.map(({ code }) => code)).toEqual(["duplicate-key", "duplicate-key"]);
  });

  test("a mapping may have tens of thousands of keys", () => {
    const keys = Array.from({ length: 50_000 }, (_, index) => `k${index}: 1\n`).join("");
    expect(summary(only(`${keys}k7: 2\n`))).toEqual(["error duplicate-key 50001:1"]);
  });

  test("aliases may be used in usual numbers", () => {
    const uses = Array.from({ length: 1000 }, (_, index) => `k${index}: *base`).join("\n");
    expect(only(`base: &base {a: 1, b: [2, 3]}\n${uses}\n`).issues).toEqual([]);
  });

  test("merge keys add their fields, which the mapping may override", () => {
    const { value } = only("base: &base {a: 1, b: 2}\nuse:\n  <<: *base\n  b: 3\n");
    expect(value).toEqual({ base: { a: 1, b: 2 }, use: { a: 1, b: 3 } });
  });

  test("values have the types of JSON: keys are text, dates and old booleans stay text", () => {
    const { value } = only("80: web\ntrue: x\nday: 2024-05-17\nyes: on\n");
    expect(value).toEqual({ 80: "web", true: "x", day: "2024-05-17", yes: "on" });
  });

  test("a directive does not change the meaning of values", () => {
    expect(only("%YAML 1.1\n---\na: yes\nb: 010\nc: 1:30\n").value).toEqual({ a: "yes", b: 10, c: "1:30" });
  });

  test("an IPv6 address at the end of a list in brackets stays an address", () => {
    expect(only("a: [10.0.0.1, 2001:db8::]\nb: [fe80::, ::1]\n").value).toEqual({
      a: ["10.0.0.1", "2001:db8::"],
      b: ["fe80::", "::1"],
    });
  });

  test("a byte-order mark and carriage returns have no effect", () => {
    const document = only("\uFEFFa: 1\r\nb:\r\n  c: 2\r\n");
    expect(document.value).toEqual({ a: 1, b: { c: 2 } });
    expect(document.locate("b.c")).toEqual({ file: "a.yaml", line: 3, column: 3 });
    expect(document.locate("a").column).toBe(1);
  });

  test("byte-order marks in the middle, from joined files, have no effect", () => {
    const documents = parseDocuments("\uFEFFa: 1\n\uFEFF---\nb: 2\n---\n\uFEFFc: 3\n", "a.yaml");
    expect(documents.map(({ value, issues }) => [value, issues])).toEqual([
      [{ a: 1 }, []],
      [{ b: 2 }, []],
      [{ c: 3 }, []],
    ]);
  });

  test("empty documents are skipped, and the line of a document is that of its content", () => {
    const documents = parseDocuments("---\n# nothing\n---\n\n# text\na: 1\n---\n---\nb: 2\n", "a.yaml");
    expect(documents.map(({ line, value }) => [line, value])).toEqual([
      [6, { a: 1 }],
      [9, { b: 2 }],
    ]);
  });

  test("any content of one document leaves its neighbours readable, and nothing throws", () => {
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
