import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { missesOf, type Outcome, outcomeTable, recordedOutcome } from "./quarantine/outcome.ts";
import { allStories, type Story, storyName } from "./quarantine/stories.ts";
import { rows } from "./quarantine/rows.ts";
import { tell } from "./quarantine/story.ts";
import { describeWith } from "./support/peers.ts";
import { recordResult } from "./support/recorded-results.ts";
import { atScale } from "./support/scale.ts";

const recordedFile = join(import.meta.dirname, "quarantine/recorded.json");
const some: readonly Story[] = [
  ["a VirtualService", "delta", "SIGKILL"],
  ["three objects at once", "sotw", "no restart"],
  ["a field that an older Envoy lacks", "sotw", "no restart"],
  ["a new AuthorizationPolicy", "delta", "no restart"],
];

/** `npm run quarantine` tells all stories at full size. */
const { stories, count, qps, limits } = atScale({
  quick: { stories: some, count: 300, qps: 40, limits: { probes: 10 } },
  whole: {
    stories: allStories,
    count: 5_000,
    qps: 1_000,
    limits: { probes: 14, seconds: 2, perSecond: 800 },
  },
});

/** A story that is measured has the machine to itself. */
const options = { concurrent: limits.seconds === undefined };
const outcomes: Outcome[] = [];

const describeWithPeers = await describeWith("envoy", "envoy-old", "fortio");

describeWithPeers("an object that Envoy refuses harms only itself", () => {
  test.each(stories)("%s is kept away from its proxies, %s, %s", options, async (name, mode, restart) => {
    const outcome = await tell(name, rows[name], { mode, count, qps, ...(restart !== "no restart" && { restart }) });
    outcomes.push(outcome);
    const misses = missesOf(outcome, limits);
    // A busy machine makes an outcome late, and not wrong.
    if (limits.seconds !== undefined && missesOf(outcome, { probes: limits.probes }).length === 0) {
      recordResult(recordedFile, storyName(name, mode, restart), recordedOutcome(outcome));
    }
    expect(misses).toEqual([]);
  });

  afterAll(() => {
    if (limits.seconds === undefined) return;
    process.stdout.write(`\n${outcomeTable(outcomes, limits)}\n`);
  });
});
