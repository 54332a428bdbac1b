import { expect, test } from "vitest";
import { brokenPromises } from "../../src/testing/galley/galley-oracle.ts";
import { anyStory } from "../../src/testing/galley/galley-story.ts";
import type { GalleyPromise } from "../../src/testing/galley/snapshot-checker.ts";
import { ManySamples } from "../../src/testing/random/many-samples.ts";
import { faults } from "./galley-faults/faults.ts";

const stories = new ManySamples(anyStory);

test.each(faults)("if $name, the promise of $breaks is broken", async ({ breaks, seams }) => {
  const broken = new Set<GalleyPromise>();
  for (const story of stories) {
    for (const promise of (await brokenPromises(story, seams())).keys()) broken.add(promise);
    if (broken.has(breaks)) break;
  }
  expect([...broken]).toContain(breaks);
});
