import { describe, expect, test } from "vitest";
import type { ObjectProgressPage } from "../../admin/pilot/object-progress.ts";
import { configId } from "../../config/config.ts";
import { waitText } from "./wait-text.ts";

const page: ObjectProgressPage = {
  object: configId("VirtualService", "shop", "reviews"),
  for: "live",
  met: false,
  final: false,
  state: "rejected",
  version: "2",
  contentHash: "2e",
  reference: "routes.yaml:3",
  source: "file:mesh",
  waits: false,
  proxies: { connected: 3, reached: 2, live: 1 },
  missing: [
    {
      proxy: "gw",
      namespace: "edge",
      type: "RDS",
      resources: ["http.80", "http.81"],
      resourceCount: 3,
      why: "rejected",
      since: "10:00",
      message: "bad regex",
    },
  ],
  missingCount: 2,
};
const line = "VirtualService shop/reviews is rejected on 1 of 2 proxies (routes.yaml:3, content 2e)";

test("a missing answer names the first resource, and why it is missing", () => {
  expect(waitText(page, "text").split("\n")).toEqual([
    line,
    "PROXY   TYPE   RESOURCE             SINCE   WHY",
    "gw      RDS    http.80 and 2 more   10:00   rejected: bad regex",
    "and 1 more",
  ]);
});

function linesOf(changed: Partial<ObjectProgressPage>): readonly string[] {
  return waitText({ ...page, state: "staged", missing: [], missingCount: 0, ...changed }, "text").split("\n");
}

describe("an object under a rollout", () => {
  const rollout = { rollout: "shop/checkout", phase: "delivering", wave: 2, waves: ["1", "10%", "100%"] } as const;
  const facts = { reason: "", behind: "" };

  test("names the rollout, its wave and the command that shows more", () => {
    expect(linesOf({ rollout: { ...rollout, ...facts } })).toEqual([
      "VirtualService shop/reviews is delivered in waves on 1 of 2 proxies (routes.yaml:3, content 2e)",
      "rollout shop/checkout: wave 2 of 3 (10%); all about it: binnacle rollout show shop/checkout",
    ]);
  });

  test("says which rollout comes first, and how a paused one goes on", () => {
    expect(linesOf({ rollout: { ...rollout, ...facts, phase: "waiting", wave: 0, behind: "shop/cart" } })[1]).toBe(
      "rollout shop/checkout waits for the end of rollout shop/cart",
    );
    expect(linesOf({ rollout: { ...rollout, ...facts, phase: "paused" } })[1]).toBe(
      "rollout shop/checkout is paused: wave 2 of 3 (10%); to go on: binnacle rollout resume shop/checkout",
    );
  });

  test("says why a halted one ended, and what everybody has", () => {
    const halted = { ...rollout, phase: "halted", wave: 1, reason: "gw rejected it: bad regex", behind: "" } as const;
    expect(linesOf({ state: "halted", rollout: halted })).toEqual([
      "VirtualService shop/reviews is held back (routes.yaml:3, content 2e)",
      "rollout shop/checkout is halted: gw rejected it: bad regex",
      "all proxies have the version from before; edit the object, or begin anew: binnacle rollout resume shop/checkout",
    ]);
  });
});

test("wide names the namespace of the proxy and all known resources", () => {
  expect(waitText(page, "wide").split("\n")).toEqual([
    line,
    "PROXY   NAMESPACE   TYPE   RESOURCES                     SINCE   WHY        MESSAGE",
    "gw      edge        RDS    http.80, http.81 and 1 more   10:00   rejected   bad regex",
    "and 1 more",
  ]);
});
