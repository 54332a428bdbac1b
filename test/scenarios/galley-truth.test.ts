import fc from "fast-check";
import { expect, test } from "vitest";
import { brokenPromises } from "../../src/testing/galley/galley-oracle.ts";
import { anyStory } from "../../src/testing/galley/galley-story.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";

test(
  "whatever happens to its sources, Galley keeps its promises, and ends as a fresh process would",
  async () => {
    const property = fc.asyncProperty(anyStory, async (story) => {
      expect(Object.fromEntries(await brokenPromises(story))).toEqual({});
    });
    await fc.assert(property, { seed, numRuns: runs(150) });
  },
  runs(60_000),
);
