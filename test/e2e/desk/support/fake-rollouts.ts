import type { Listing } from "../../../../src/desk/api/model/listing.ts";
import type { RolloutStep, RolloutTimeline } from "../../../../src/desk/api/model/rollouts.ts";
import { at, earlier, reviews } from "./fake-facts.ts";

function step(type: string, rest: Partial<RolloutStep> = {}): RolloutStep {
  return { at: earlier, type, wave: 1, proxies: 1, by: "", reason: "", ...rest };
}

const delivering: RolloutTimeline = {
  rollout: "shop/reviews-v2",
  phase: "delivering",
  wave: 2,
  waves: ["1", "10%", "50%", "100%"],
  objects: { items: [reviews], total: 1 },
  proxies: 200,
  accepted: 178,
  reason: "",
  events: [
    step("started", { wave: 0, proxies: 0, by: "file:./mesh" }),
    step("wave"),
    step("acknowledged"),
    step("gate", { by: "gate", reason: "the query gives 0.01, and at most 0.05 is allowed" }),
    step("wave", { at, wave: 2, proxies: 200 }),
  ],
};

const halted: RolloutTimeline = {
  ...delivering,
  rollout: "shop/reviews-v1",
  phase: "halted",
  wave: 1,
  proxies: 0,
  accepted: 0,
  reason: "the query gives 0.4, and at most 0.05 is allowed",
  events: [
    step("started", { wave: 0, proxies: 0, by: "file:./mesh" }),
    step("wave"),
    step("halted", { at, by: "gate", reason: "the query gives 0.4, and at most 0.05 is allowed" }),
  ],
};

/** A rollout in its second wave, and one that its gate has halted. */
export const fakeRollouts: Listing<RolloutTimeline> = { items: [delivering, halted], total: 2 };
