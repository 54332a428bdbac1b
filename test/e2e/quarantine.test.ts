import { afterAll, expect, test } from "vitest";
import { missesOf, type Outcome, outcomeTable } from "./quarantine/outcome.ts";
import { type RowName, rows } from "./quarantine/rows.ts";
import { tell } from "./quarantine/story.ts";
import { describeWith } from "./support/peers.ts";
import { atScale } from "./support/scale.ts";

type Mode = "sotw" | "delta";
/** How the control plane is restarted while the object is in quarantine. A server that restarts has a store. */
type Restart = "no restart" | "SIGTERM" | "SIGKILL";
type Story = readonly [RowName, Mode, Restart];

const modes: readonly Mode[] = ["sotw", "delta"];
const rowNames = Object.keys(rows) as readonly RowName[];
const all: readonly Story[] = [
  ...rowNames.flatMap((name) => modes.map((mode): Story => [name, mode, "no restart"])),
  ["a VirtualService", "delta", "SIGKILL"],
  ["a VirtualService", "sotw", "SIGTERM"],
];
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
  test.each(stories)("%s is kept away from its proxies, %s, %s", options, async (name, mode, restart) => {
    const outcome = await tell(name, rows[name], { mode, count, qps, ...(restart !== "no restart" && { restart }) });
    outcomes.push(outcome);
    expect(missesOf(outcome, limits)).toEqual([]);
  });

  afterAll(() => {
    if (limits.seconds === undefined) return;
    process.stdout.write(`\n${outcomeTable(outcomes, limits)}\n`);
  });
});
