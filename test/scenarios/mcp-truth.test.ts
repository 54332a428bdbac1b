import fc from "fast-check";
import { expect, test } from "vitest";
import { brokenMcpPromises } from "../../src/testing/mcp/mcp-oracle.ts";
import { anyMcpStory } from "../../src/testing/mcp/mcp-story.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";

test("the protocol keeps all promises through any events between a source and its sinks", () => {
  fc.assert(
    fc.property(anyMcpStory, (story) => {
      expect([...brokenMcpPromises(story)]).toEqual([]);
    }),
    { seed, numRuns: runs(150) },
  );
});
