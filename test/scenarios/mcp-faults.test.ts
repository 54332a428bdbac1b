import { expect, test } from "vitest";
import type { McpPromise } from "../../src/testing/mcp/mcp-monitor.ts";
import { brokenMcpPromises } from "../../src/testing/mcp/mcp-oracle.ts";
import { anyMcpStory } from "../../src/testing/mcp/mcp-story.ts";
import { ManySamples } from "../../src/testing/random/many-samples.ts";
import { mcpFaults } from "./mcp-faults/faults.ts";

const stories = new ManySamples(anyMcpStory);

test.each(mcpFaults)("if $name, the promise of $breaks is broken", ({ breaks, seams }) => {
  const broken = new Set<McpPromise>();
  for (const story of stories) {
    for (const promise of brokenMcpPromises(story, seams).keys()) broken.add(promise);
    if (broken.has(breaks)) break;
  }
  expect([...broken]).toContain(breaks);
});
