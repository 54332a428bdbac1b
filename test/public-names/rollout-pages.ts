import { objectProgressPage } from "../../src/admin/pilot/object-progress.ts";
import { rolloutsPage } from "../../src/admin/pilot/rollouts-page.ts";
import type { Route } from "../../src/admin/route.ts";
import { configId } from "../../src/config/config.ts";
import { defaultPlan } from "../../src/config/rollout/rollout-plan.ts";
import { objectRollout } from "../../src/pilot/xds/rollout/object-rollout.ts";
import type { StagedRollout } from "../../src/pilot/xds/rollout/staged-rollout.ts";
import { ContentLedger } from "../../src/pilot/xds/status/progress/content-ledger.ts";
import { ObjectWaits } from "../../src/pilot/xds/status/progress/object-waits.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";

const node = "router~10.0.0.1~gw-0.shop~shop.svc.cluster.local";
const id = configId("VirtualService", "shop", "reviews");
const object = { id, stable: undefined, next: undefined, joined: false };
const state = { timeOf: () => new Date(0) };
const rollout: StagedRollout = {
  change: { id: "shop/change", merged: [], objects: new Map([[id, object]]) },
  plan: defaultPlan,
  phase: "delivering",
  startedAt: 0,
  since: 0,
  wave: 1,
  chosen: new Set(),
  content: "",
  reason: "",
  cause: "",
  events: [{ type: "wave", at: 0, wave: 1, proxies: 1, by: "", reason: "" }],
};

/** The page of rollouts with everything that it can show. */
export function rolloutsRoute(): Route {
  return rolloutsPage(state, {
    rollouts: [rollout],
    ended: [rollout],
    progressOf: () => ({ accepted: 1, missing: [node], gate: undefined }),
    reachedBy: () => [node],
    command: () => false,
  });
}

/** The progress of an object under a rollout. */
export function stagedProgressRoute(): Route {
  const held = objectRollout(rollout, id, { current: rollout, reached: new Set([node]), hasAccepted: () => false });
  const ledger = new ContentLedger({ now: () => 0, published: () => 0, hasStreams: () => false });
  const facts = {
    ledger,
    connections: () => [],
    queuedFor: () => undefined,
    currentOf: () => undefined,
    quarantine: () => undefined,
    rolloutOf: () => held,
    isExcluded: () => false,
    silentMs: () => 0,
  };
  return objectProgressPage(new ObjectWaits({ facts, clock: new FakeClock() }), state);
}
