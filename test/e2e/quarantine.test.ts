import { afterAll, expect, test } from "vitest";
import { missesOf, type Outcome, outcomeTable } from "./quarantine/outcome.ts";
import { type RowName, rows } from "./quarantine/rows.ts";
import { tell } from "./quarantine/story.ts";
import { describeWith } from "./support/peers.ts";
import { atScale } from "./support/scale.ts";

type Mode = "sotw" | "delta";
type Story = readonly [RowName, Mode];

const modes: readonly Mode[] = ["sotw", "delta"];
const all = Object.keys(rows).flatMap((name) => modes.map((mode) => [name, mode])) as unknown as readonly Story[];
const some: readonly Story[] = [
  ["a VirtualService, from the start,", "delta"],
  ["three objects at once", "sotw"],
  ["a field that an older Envoy lacks", "sotw"],
  ["a new AuthorizationPolicy", "delta"],
];

/** `npm run quarantine` tells all stories at full size. */
const { stories, count, qps, limits } = atScale({
  quick: { stories: some, count: 300, qps: 40, limits: { probes: 10 } },
  whole: {
    stories: all,
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
  test.each(stories)("%s is kept away from its proxies, %s", options, async (name, mode) => {
    const outcome = await tell(name, rows[name], { mode, count, qps });
    outcomes.push(outcome);
    expect(missesOf(outcome, limits)).toEqual([]);
  });

  afterAll(() => {
    if (limits.seconds === undefined) return;
    process.stdout.write(`\n${outcomeTable(outcomes, limits)}\n`);
  });
});
