import fc from "fast-check";
import { expect, test } from "vitest";
import { brokenConfigPromises } from "../../src/testing/config-oracle.ts";
import { anyMcpStory } from "../../src/testing/mcp-story.ts";
import { runs, seed } from "../../src/testing/seed.ts";

test("whatever happens, everybody who takes configuration over xDS ends with the truth", () => {
  fc.assert(
    fc.property(anyMcpStory, (story) => {
      expect([...brokenConfigPromises(story)]).toEqual([]);
    }),
    { seed, numRuns: runs(150) },
  );
});
