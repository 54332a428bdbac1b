import { expect, test } from "vitest";
import { anyMcpStory } from "../../src/testing/mcp/mcp-story.ts";
import { brokenConfigPromises } from "../../src/testing/mcp-over-xds/config-oracle.ts";
import { ManySamples } from "../../src/testing/random/many-samples.ts";
import { configFaults } from "./mcp-over-xds-faults/faults.ts";

const stories = new ManySamples(anyMcpStory);

test.each(configFaults)("if $name, the promise of $breaks is broken", ({ breaks, seams }) => {
  const broken = new Set<string>();
  for (const story of stories) {
    for (const promise of brokenConfigPromises(story, seams).keys()) broken.add(promise);
    if (broken.has(breaks)) break;
  }
  expect([...broken]).toContain(breaks);
});
