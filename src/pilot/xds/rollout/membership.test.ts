import { describe, expect, test } from "vitest";
import { defaultPlan, type Wave } from "../../../config/rollout/rollout-plan.ts";
import { isReached, placeOf, type WaveClient } from "./membership.ts";

const nodes = Array.from(
  { length: 10_000 },
  (_, number) => `sidecar~10.0.0.1~app-${number}.shop~shop.svc.cluster.local`,
);

function client(nodeId: string, more: Partial<WaveClient> = {}): WaveClient {
  return { nodeId, labels: {}, locality: { region: "", zone: "", subzone: "" }, ...more };
}

function reached(waves: readonly Wave[], wave: number, chosen: readonly string[] = []) {
  return { plan: { ...defaultPlan, waves }, wave, chosen: new Set(chosen) };
}

describe("the proxies of a wave", () => {
  test("have places that are spread evenly, and are the same everywhere and always", () => {
    const tenth = nodes.filter((node) => placeOf(node) < 0.1);
    expect(tenth.length).toBeGreaterThan(850);
    expect(tenth.length).toBeLessThan(1_150);
    expect(placeOf("sidecar~10.0.0.1~app-1.shop~shop.svc.cluster.local")).toBe(0.073_164_636);
  });

  test("of a larger share are those of a smaller one, and more", () => {
    const waves: Wave[] = [10, 50].map((percent) => ({ type: "share", percent }));
    const at = (wave: number) => new Set(nodes.filter((node) => isReached(reached(waves, wave), client(node))));
    expect(at(0).size).toBe(0);
    expect(at(1).isSubsetOf(at(2))).toBe(true);
    expect(at(2).size).toBeGreaterThan(4_500);
  });

  test("are chosen nodes, those with a label, or those of a zone", () => {
    const waves: Wave[] = [
      { type: "count", proxies: 1 },
      { type: "label", key: "canary", value: "true" },
      { type: "zone", zone: "b" },
    ];
    const clients = [
      client("chosen"),
      client("labelled", { labels: { canary: "true" } }),
      client("zoned", { locality: { region: "a", zone: "b", subzone: "" } }),
      client("other", { labels: { canary: "false" }, locality: { region: "b", zone: "a", subzone: "" } }),
    ];
    const at = (wave: number) =>
      clients.filter((each) => isReached(reached(waves, wave, ["chosen"]), each)).map(({ nodeId }) => nodeId);
    expect([0, 1, 2, 3].map(at)).toEqual([[], ["chosen"], ["chosen", "labelled"], ["chosen", "labelled", "zoned"]]);
  });
});
