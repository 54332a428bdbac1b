import { expect, test } from "vitest";
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

test("wide names the namespace of the proxy and all known resources", () => {
  expect(waitText(page, "wide").split("\n")).toEqual([
    line,
    "PROXY   NAMESPACE   TYPE   RESOURCES                     SINCE   WHY        MESSAGE",
    "gw      edge        RDS    http.80, http.81 and 1 more   10:00   rejected   bad regex",
    "and 1 more",
  ]);
});
