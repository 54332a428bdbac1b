import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../../testing/random/seed.ts";
import { selects } from "../../selector.ts";
import { SelectorIndex } from "./selector-index.ts";

const labels = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2"), { maxKeys: 3 });

test("the index finds the same selector as a look at every selector", () => {
  fc.assert(
    fc.property(fc.array(labels), labels, (selectors, workload) => {
      const index = new SelectorIndex(selectors, (each) => each);
      expect(index.first(workload)).toBe(selectors.find((each) => selects(each, workload)));
    }),
    { seed, numRuns: runs(200) },
  );
});
