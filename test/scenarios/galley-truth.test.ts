import fc from "fast-check";
import { expect, test } from "vitest";
import { brokenPromises } from "../../src/testing/galley/galley-oracle.ts";
import { anyStory } from "../../src/testing/galley/galley-story.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";

test(
  "Galley keeps its promises through any events of its sources, and ends like a fresh process",
  async () => {
    const property = fc.asyncProperty(anyStory, async (story) => {
      expect(Object.fromEntries(await brokenPromises(story))).toEqual({});
    });
    await fc.assert(property, { seed, numRuns: runs(150) });
  },
  runs(60_000),
);
