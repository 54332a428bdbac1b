import fc from "fast-check";
import { expect, test } from "vitest";
import type { McpPromise } from "../../src/testing/mcp/mcp-monitor.ts";
import { brokenMcpPromises } from "../../src/testing/mcp/mcp-oracle.ts";
import { anyMcpStory } from "../../src/testing/mcp/mcp-story.ts";
import { seed } from "../../src/testing/random/seed.ts";
import { mcpFaults } from "./mcp-faults/faults.ts";

const stories = fc.sample(anyMcpStory, { seed, numRuns: 2000 });

test.each(mcpFaults)("if $name, the promise of $breaks is broken", ({ breaks, seams }) => {
  const broken = new Set<McpPromise>();
  for (const story of stories) {
    for (const promise of brokenMcpPromises(story, seams).keys()) broken.add(promise);
    if (broken.has(breaks)) break;
  }
  expect([...broken]).toContain(breaks);
});
