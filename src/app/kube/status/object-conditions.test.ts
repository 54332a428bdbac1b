import { describe, expect, test } from "vitest";
import type { QuarantinedObject } from "../../../admin/pilot/quarantine.ts";
import { areStoredConditions, type StatusCondition } from "../../../config/analysis/status-condition.ts";
import { configId } from "../../../config/config.ts";
import { gateway } from "../../../config/kinds/gateway.ts";
import { virtualService } from "../../../config/kinds/virtual-service.ts";
import { quarantinedCondition } from "../../xds/quarantine-feed.ts";
import { type ObjectCondition, withConditions } from "./object-conditions.ts";
import type { WantedStatus } from "./wanted-status.ts";

function refusal(kind: string, name: string, more: Partial<QuarantinedObject> = {}): QuarantinedObject {
  return {
    object: configId(kind, "shop", name),
    reference: "mesh/a.yaml:3",
    version: "v2",
    class: "router 1.40.0 (3f2a91)",
    proxies: 1,
    since: "2026-01-02T00:00:00.000Z",
    confirmedBy: "",
    reason: "bad regex",
    rejected: [],
    node: "gw-0",
    probes: 3,
    instead: { type: "nothing" },
    state: { type: "refused" },
    ...more,
  };
}

const kinds = [gateway, virtualService];
const key = "VirtualService shop/reviews";
/** The conditions of the statuses that these refusals cause. */
function quarantined(...refusals: readonly QuarantinedObject[]): readonly ObjectCondition[] {
  const [{ object } = refusal("VirtualService", "reviews")] = refusals;
  return [{ object, source: "kube:", condition: quarantinedCondition(refusals) }];
}

const none: ReadonlyMap<string, WantedStatus> = new Map();

describe("the condition of a quarantined object", () => {
  test("names class, proxies, time, replacement and the words of the proxy", () => {
    const { conditions } =
      withConditions(none, quarantined(refusal("VirtualService", "reviews")), kinds).get(key) ?? {};
    expect(conditions?.[0]).toEqual({
      type: "Quarantined",
      status: "True",
      reason: "RefusedByProxies",
      message:
        "router 1.40.0 (3f2a91) (1 proxy) refuses it since 2026-01-02T00:00:00.000Z, and gets nothing: bad regex",
      lastTransitionTime: "2026-01-02T00:00:00.000Z",
    });
  });

  test("has a line per class that refuses it, and begins with the first refusal", () => {
    const sidecars = { class: "sidecar 1.40.0 (77aa00)", since: "2026-01-01T00:00:00.000Z" };
    const refusals = quarantined(refusal("VirtualService", "reviews"), refusal("VirtualService", "reviews", sidecars));
    const [condition] = withConditions(none, refusals, kinds).get(key)?.conditions ?? [];
    expect(condition?.message.split("\n")).toHaveLength(2);
    expect(condition?.lastTransitionTime).toBe("2026-01-01T00:00:00.000Z");
  });

  test("is beside the messages of the analysis, and has bounded length", () => {
    const object = { kind: virtualService, namespace: "shop", name: "reviews" };
    const message = { type: { code: "IST0101", name: "" }, level: "ERROR", documentationUrl: "", message: "" } as const;
    const wanted = new Map([[key, { object, messages: [message], version: "v2", conditions: [] }]]);
    const long = refusal("VirtualService", "reviews", { reason: "x".repeat(100_000) });
    const status = withConditions(wanted, quarantined(long), kinds).get(key);
    expect(status).toMatchObject({ messages: [message], version: "v2" });
    expect(status?.conditions[0]?.message.length).toBeLessThan(5_000);
  });

  test("is absent for kinds without our status", () => {
    expect([...withConditions(none, quarantined(refusal("Service", "reviews")), kinds)]).toEqual([]);
  });

  test("counts as stored if the definition dropped fields, not if another condition is stored, or one too many", () => {
    const { condition } = quarantined(refusal("VirtualService", "reviews"))[0] ?? {};
    const written: readonly StatusCondition[] = condition === undefined ? [] : [condition];
    const { message: _message, ...kept } = { message: "", ...condition };
    expect(areStoredConditions([kept], written)).toBe(true);
    expect(areStoredConditions([{ ...condition, message: "old" }], written)).toBe(false);
    expect(areStoredConditions([{ ...condition, type: "RolledOut" }], written)).toBe(false);
    expect(areStoredConditions([], written)).toBe(false);
    expect(areStoredConditions([condition], [])).toBe(false);
    expect(areStoredConditions([], [])).toBe(true);
  });
});
