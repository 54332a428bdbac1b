import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../testing/random/seed.ts";
import { blameLines } from "./blame.ts";

const since = (number: number) => ({ number, at: number * 1_000 });
const blamed = (...versions: readonly string[]) =>
  blameLines(versions.map((text, index) => ({ lines: text.split(""), since: since(versions.length - index) }))).map(
    ({ text, since: { number } }) => `${text}${number}`,
  );

describe("the blame of lines", () => {
  test("names the version that added a line", () => {
    expect(blamed("axbc", "abc", "ac")).toEqual(["a1", "x3", "b2", "c1"]);
  });

  test("names the newest version for a line that was gone meanwhile", () => {
    expect(blamed("abc", "ac", "abc")).toEqual(["a1", "b3", "c1"]);
  });

  test("follows lines that moved down", () => {
    expect(blamed("xyzab", "ab")).toEqual(["x2", "y2", "z2", "a1", "b1"]);
  });

  test("of random versions shows the newest text, and each line has stood there since its moment", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    const property = fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (versions) => {
      const dated = versions.map((each, index) => ({ lines: each.split(""), since: since(versions.length - index) }));
      const lines = blameLines(dated);
      expect(lines.map((line) => line.text).join("")).toBe(versions[0]);
      for (const { text: line, since: id } of lines) {
        const standing = dated.filter((each) => each.since.number >= id.number);
        expect(standing.every((each) => each.lines.includes(line))).toBe(true);
      }
      // A version adds at least as many lines as it is longer than a common subsequence allows.
      const added = lines.filter((line) => line.since.number === versions.length).length;
      const [newest = "", before = ""] = versions;
      expect(added).toBe(newest.length - longestCommon(newest, before));
    });
    fc.assert(property, { seed, numRuns: runs(200) });
  });
});

/** By definition, without a table. */
function longestCommon(a: string, b: string): number {
  if (a === "" || b === "") return 0;
  if (a[0] === b[0]) return 1 + longestCommon(a.slice(1), b.slice(1));
  return Math.max(longestCommon(a.slice(1), b), longestCommon(a, b.slice(1)));
}
