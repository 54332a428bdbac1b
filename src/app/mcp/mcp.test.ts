import { expect, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import type { SnapshotGroup } from "../../config/kind.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { LogScopes } from "../log/log-scopes.ts";
import { defaultOptions } from "../options/options.ts";
import { mcpOf } from "./mcp.ts";

function mcp() {
  const clock = new FakeClock();
  const options = { ...defaultOptions(), mcpDebounceAfterMs: 30, mcpDebounceMaxMs: 50 };
  const logs = new LogScopes(new RecordingLogger(), options.logLevel);
  return { clock, ...mcpOf({ options, clock, logs, metrics: new Metrics(), supervisor: new FailingParts() }) };
}

/** When a change leaves, in milliseconds after it came, if another one comes every `everyMs`. */
function leavesAfter(group: SnapshotGroup, everyMs: number): number {
  const { clock, strategyOf } = mcp();
  const left: number[] = [];
  const strategy = strategyOf(group);
  while (left.length === 0) {
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
