import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../../testing/random/seed.ts";
import { NamePatterns } from "./name-patterns.ts";

const name = fc.string({ unit: fc.constantFrom("a", "b", "é", "-"), maxLength: 4 });

test("patterns find the same names as a look at every name", () => {
  fc.assert(
    fc.property(fc.array(name), name, (names, text) => {
      const patterns = new NamePatterns(names);
      expect(patterns.has(text)).toBe(names.includes(text));
      expect(patterns.someBegins(text)).toBe(names.some((each) => each.startsWith(text)));
      expect(patterns.someEnds(text)).toBe(names.some((each) => each.endsWith(text)));
    }),
    { seed, numRuns: runs(200) },
  );
});
