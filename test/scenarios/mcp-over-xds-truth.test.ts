import fc from "fast-check";
import { expect, test } from "vitest";
import { anyMcpStory } from "../../src/testing/mcp/mcp-story.ts";
import { brokenConfigPromises } from "../../src/testing/mcp-over-xds/config-oracle.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";

test("every client of configuration over xDS ends with the current state, after any events", () => {
  fc.assert(
    fc.property(anyMcpStory, (story) => {
      expect([...brokenConfigPromises(story)]).toEqual([]);
    }),
    { seed, numRuns: runs(150) },
  );
});
