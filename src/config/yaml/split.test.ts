import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { seed } from "../../testing/random/seed.ts";
import { splitDocuments } from "./split.ts";

const linesOf = (text: string): readonly number[] => Array.from(splitDocuments(text), ({ line }) => line);

describe("splitDocuments", () => {
  test.each([
    ["one document without marker", "a: 1\n", [1]],
    ["a marker before the first document", "---\na: 1\n", [1]],
    ["a marker with blanks behind it", "a: 1\n---  \nb: 2\n", [1, 2]],
    ["a marker with a comment behind it", "a: 1\n--- # text\nb: 2\n", [1, 2]],
    ["a marker with content behind it", "a: 1\n--- {b: 2}\n", [1, 2]],
    ["carriage returns", "a: 1\r\n---\r\nb: 2\r\n", [1, 2]],
    ["an end marker", "a: 1\n...\nb: 2\n", [1, 3]],
    ["directives belong to the document behind them", "a: 1\n...\n%YAML 1.2\n---\nb: 2\n", [1, 3]],
    ["comments before a marker start no document", "# one\n# two\n---\na: 1\n", [1]],
    ["more dashes are content", "a: |\n  x\n----\n", [1]],
    ["an indented marker is content", "a: |\n  ---\n  b\n", [1]],
    ["nothing", "", []],
    ["only comments", "# nothing\n\n", []],
  ])("%s", (_, text, lines) => {
    expect(linesOf(text)).toEqual(lines);
  });

  test("on well-formed text it agrees with a stream parser", () => {
    const scalar = fc.constantFrom("1", "x y", '"--- quoted"', "|\n  ---\n  block", "[a, b]", "# only a comment", "");
    const document = fc.array(scalar, { maxLength: 3 }).map((values) => values.map((v, i) => `k${i}: ${v}\n`).join(""));
    const separator = fc.constantFrom("---\n", "--- # next\n", "---\t\n", "...\n---\n", "---\r\n");
    const file = fc.array(fc.tuple(separator, document), { maxLength: 5 }).map((parts) => parts.flat().join(""));
    fc.assert(
      fc.property(file, (text) => {
        const whole = parseAllDocuments(text).map((part) => part.toJS() as unknown);
        const parts = Array.from(splitDocuments(text)).flatMap((slice) => parseAllDocuments(slice.text));
        const values = parts.map((part) => part.toJS() as unknown);
        expect(values.filter((value) => value !== null)).toEqual(whole.filter((value) => value !== null));
      }),
      { seed },
    );
  });
});
