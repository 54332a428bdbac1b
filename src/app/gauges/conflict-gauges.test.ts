import { expect, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import type { Conflict, ConflictType } from "../../pilot/model/conflict.ts";
import { installConflictGauges } from "./conflict-gauges.ts";

function conflict(type: ConflictType): Conflict {
  return { type, about: "0.0.0.0_80", winner: undefined, losers: [], reason: "" };
}

test("conflicts are counted under Istio's metric names", async () => {
  const metrics = new Metrics();
  const counts = { "inbound-listener": 1, "outbound-listener": 2, "virtual-host": 3, subset: 4 } as const;
  const types = (Object.keys(counts) as (keyof typeof counts)[]).flatMap((type) => Array(counts[type]).fill(type));
  installConflictGauges(metrics, () => types.map(conflict));
  const text = await metrics.registry.metrics();
  expect(text).toContain("\npilot_conflict_inbound_listener 1\n");
  expect(text).toContain("\npilot_conflict_outbound_listener_tcp_over_current_tcp 2\n");
  expect(text).toContain("\npilot_vservice_dup_domain 3\n");
  expect(text).toContain("\npilot_destrule_subsets 4\n");
  expect(text).toContain('\nbinnacle_conflicts{type="subset"} 4\n');
});
