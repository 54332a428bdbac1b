import { expect, test } from "vitest";
import { configId } from "../config/config.ts";
import { mergedDeliveries } from "./merged-deliveries.ts";
import type { Delivery } from "./plan.ts";

function delivery(proxies: readonly string[], bytes: number, others: Partial<Delivery> = {}): Delivery {
  const types = [{ type: "RDS", responses: 1, resources: 1, bytes, changes: [] }];
  return { proxies, count: proxies.length, mode: "delta", types, ...others };
}

test("proxies that are sent the same are one entry, and the largest one comes first", () => {
  const all = [
    delivery(["c"], 200),
    delivery(["b"], 100),
    delivery(["a"], 100, { count: 3 }),
    delivery(["d"], 100, { mode: "sotw" }),
    delivery(["e"], 100, { leftOut: [configId("VirtualService", "shop", "bad")] }),
  ];
  expect(mergedDeliveries(all).map(({ proxies, count }) => [proxies.join(" "), count])).toEqual([
    ["a b", 4],
    ["c", 1],
    ["d", 1],
    ["e", 1],
  ]);
});
