import { describe, expect, test } from "vitest";
import type { OperatedRollouts } from "../../../admin/pilot/rollouts-page.ts";
import type { Viewer } from "../../../admin/viewer.ts";
import { configId } from "../../../config/config.ts";
import { defaultPlan } from "../../../config/rollout/rollout-plan.ts";
import type { StagedRollout } from "../../../pilot/xds/rollout/staged-rollout.ts";
import { deskRig } from "../../../testing/desk/desk-rig.ts";
import type { Listing } from "../model/listing.ts";
import type { RolloutTimeline } from "../model/rollouts.ts";
import { listRollouts } from "./rollouts.ts";

/** A rollout that was halted because of a proxy of the other namespace. */
function halted(namespace: string, other: string): StagedRollout {
  const id = configId("VirtualService", namespace, `routes-${namespace}`);
  const by = `router~10.0.0.1~gw.${other}~${other}.svc.cluster.local`;
  const objects = new Map([[id, { id, stable: undefined, next: undefined, joined: false }]]);
  return {
    change: { id: `${namespace}/change`, merged: [], objects },
    plan: defaultPlan,
    content: "",
    startedAt: 0,
    since: 0,
    phase: "halted",
    wave: 1,
    chosen: new Set(),
    reason: `${by} rejected it: bad`,
    cause: "rejection",
    events: [{ type: "halted", at: 0, wave: 1, proxies: 2, by, reason: `${by} rejected it: bad` }],
  };
}

async function shownTo(viewer: Viewer): Promise<Listing<RolloutTimeline>> {
  const { state } = await deskRig();
  const rollouts: OperatedRollouts = {
    rollouts: [halted("aaa", "bbb")],
    ended: [halted("bbb", "aaa")],
    progressOf: () => undefined,
    reachedBy: () => [],
    command: () => false,
  };
  const request = { viewer, values: [], query: new URLSearchParams() };
  return listRollouts({ ...state, rollouts }, request).body as Listing<RolloutTimeline>;
}

describe("the timelines of rollouts", () => {
  test("show an operator everything: who caused each event, and why", async () => {
    const { items, total } = await shownTo({ type: "system" });
    expect([total, items.map(({ rollout }) => rollout)]).toEqual([2, ["aaa/change", "bbb/change"]]);
    expect(items[0]).toMatchObject({
      phase: "halted",
      waves: ["1", "10%", "50%", "100%"],
      objects: { items: [{ id: "VirtualService/aaa/routes-aaa" }], total: 1 },
      events: [
        { type: "halted", wave: 1, by: expect.stringContaining("gw.bbb"), reason: expect.stringContaining("bad") },
      ],
    });
  });

  test("show a workload those of its namespace, and no proxy of another one", async () => {
    const shown = await shownTo({ type: "namespace", namespace: "aaa" });
    expect(shown.items.map(({ rollout, reason }) => [rollout, reason])).toEqual([
      ["aaa/change", "a proxy rejected it: bad"],
    ]);
    expect(JSON.stringify(shown)).not.toContain("bbb");
  });
});
