import { expect, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";
import { mcpForm } from "../../mcp/encoded-sets.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { LogScopes } from "../log/log-scopes.ts";
import { defaultOptions } from "../options/options.ts";
import { mcpOf } from "./mcp.ts";

function mcp() {
  const clock = new FakeClock();
  const options = { ...defaultOptions(), mcpDebounceAfterMs: 30, mcpDebounceMaxMs: 50 };
  const logger = new RecordingLogger();
  const logs = new LogScopes(logger, options.logLevel);
  return { clock, logger, ...mcpOf({ options, clock, logs, metrics: new Metrics(), supervisor: new FailingParts() }) };
}

/** When a change leaves, in milliseconds after it came, if another one comes every `everyMs`. */
function leavesAfter(group: SnapshotGroup, everyMs: number): number {
  const { clock, strategyOf } = mcp();
  const left: number[] = [];
  const strategy = strategyOf(group);
  while (left.length === 0 && clock.now() < 1_000) {
    if (clock.now() % everyMs === 0) strategy.onChange(() => left.push(clock.now()));
    if (left.length === 0) clock.advance(1);
  }
  strategy.stop();
  return left[0] ?? Number.NaN;
}

test.each<[SnapshotGroup, number, number]>([
  ["default", 30, 50],
  ["syntheticServiceEntry", 0, 0],
  ["localAnalysis", 0, 0],
])("a change of the group %s is published after %i ms of quiet, and after at most %i ms", (group, quiet, most) => {
  expect(leavesAfter(group, 1_000)).toBe(quiet);
  expect(leavesAfter(group, 20)).toBe(most);
});

test.each<SnapshotGroup>(["default", "syntheticServiceEntry"])(
  "the strategy of the group %s tells its observer every change",
  (group) => {
    const told: string[] = [];
    const observer = {
      changed: () => void told.push("changed"),
      waitsAnew: () => undefined,
      due: () => undefined,
    };
    const strategy = mcp().strategyOf(group, observer);
    strategy.onChange(() => undefined);
    strategy.onChange(() => undefined);
    strategy.stop();
    expect(told).toEqual(["changed", "changed"]);
  },
);

test("an object that cannot be sent is an error in the log, with its collection", () => {
  const { cache, logger } = mcp();
  const gateways = "istio/networking/v1alpha3/gateways";
  const graph = new Graph();
  const input = graph.input<Config>(gateways);
  graph.batch(() => input.set("shop/wrong", fakeConfig({ name: "wrong" })));
  cache.distribute({ group: "default", collections: new Map([[gateways, input.snapshot()]]) });
  expect(cache.sets(mcpForm).get(gateways)?.size).toBe(0);
  expect(logger.lines).toEqual([
    {
      level: "error",
      message: "object not sent over mcp",
      fields: { scope: "mcp", collection: gateways, err: expect.objectContaining({ resource: "shop/wrong" }) },
    },
  ]);
});
