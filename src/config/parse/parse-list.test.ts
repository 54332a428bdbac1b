import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { runs, seed } from "../../testing/random/seed.ts";
import { splitList } from "./parse-list.ts";

const split = (text: string): readonly (readonly [line: number, value: unknown])[] | undefined =>
  splitList({ text, line: 10 })?.map((item) => [item.line, parse(item.text)]);

describe("splitList", () => {
  test("gives each item with the line on which it starts", () => {
    const text = "apiVersion: v1\nkind: List # of two\nitems:\n# one\n- a: 1\n  b:\n  - 2\n\n-\n  c: 3\nmetadata: {}\n";
    expect(split(text)).toEqual([
      [14, { a: 1, b: [2] }],
      [18, { c: 3 }],
    ]);
  });

  test("keeps columns, also where dashes are indented and lines end in carriage returns", () => {
    const [item] = splitList({ text: 'kind: "List"\r\nitems:\r\n  - a: 1\r\n    b: 2\r\n', line: 1 }) ?? [];
    expect(item).toEqual({ text: "    a: 1\r\n    b: 2\r\n", line: 3 });
  });

  test("a broken item does not affect the next", () => {
    const items = splitList({ text: 'kind: List\nitems:\n- a: "x\n\tb: [\n- c: 3\n', line: 1 });
    expect(items?.map(({ text }) => text)).toEqual(['  a: "x\n\tb: [\n', "  c: 3\n"]);
  });

  test("an item that ends with the file ends on the last line of the file", () => {
    const items = splitList({ text: "kind: List\nitems:\n- a: 1\n- b: {", line: 1 });
    expect(items?.map(({ text }) => text)).toEqual(["  a: 1\n", "  b: {"]);
  });

  test.each([
    ["another kind", "kind: Gateway\nitems:\n- a: 1\n"],
    ["a typed list, whose items depend on it", "kind: GatewayList\nitems:\n- a: 1\n"],
    ["no items", "kind: List\nitems:\n"],
    ["items in brackets", "kind: List\nitems: [{a: 1}]\n"],
    ["items that are no sequence", "kind: List\nitems:\n  a: 1\n"],
    ["an empty item", "kind: List\nitems:\n- a: 1\n-\n- # nothing\n"],
    ["an anchor", "kind: List\nitems:\n- a: &x 1\n- a: *x\n"],
    ["a directive", "%TAG ! tag:x,2000:\n---\nkind: List\nitems:\n- a: 1\n"],
    ["a mistake beside the items", "kind: List\nkind: List\nitems:\n- a: 1\n"],
    ["a mistake behind the items", "kind: List\nitems:\n- a: 1\n}\n"],
    ["items twice", "kind: List\nitems:\n- a: 1\nitems:\n- b: 1\n"],
    ["an end of the items that is none", "kind: List\nitems:\n  - a: 1\n b: 1\n"],
  ])("does not split %s", (_, text) => {
    expect(split(text)).toBeUndefined();
  });

  test("gives the same values as the whole list", () => {
    const scalar = fc.constantFrom(
      "1",
      "x",
      '"- a"',
      "|\n      - a\n\n      b",
      ">-\n      # no comment\n      - a",
      "[a,\n      b]",
      '"a\n      - b"',
    );
    const field = fc.tuple(fc.constantFrom("", "    # text\n", "\n"), scalar);
    const item = fc.array(field, { minLength: 1, maxLength: 4 });
    const style = fc.record({
      indent: fc.constantFrom("", " ", "  "),
      tail: fc.constantFrom("", "metadata:\n  a: 1\n"),
    });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), style, (items, { indent, tail }) => {
        const written = items.map((fields) => {
          const lines = fields.map(
            ([before, value], index) => `${index > 0 ? `${before}    ` : ""}k${index}: ${value}\n`,
          );
          return `${indent}-${" ".repeat(3 - indent.length)}${lines.join("")}`;
        });
        const text = `apiVersion: v1\nkind: List\nitems:\n${written.join("")}${tail}`;
        const whole = parse(text) as { readonly items: readonly unknown[] };
        expect(split(text)?.map(([, value]) => value)).toEqual(whole.items);
      }),
      { seed, numRuns: runs(200) },
    );
  });
});
