import { compareTexts } from "../lib/compare.ts";
import type { Delivery } from "./plan.ts";

/** One entry for all proxies that are sent the same, those of most proxies first. */
export function mergedDeliveries(deliveries: readonly Delivery[]): readonly Delivery[] {
  const equal = Map.groupBy(deliveries, ({ proxies: _proxies, count: _count, ...sent }) => JSON.stringify(sent));
  const merged = equal
    .values()
    .flatMap(([first, ...others]) => (first === undefined ? [] : [withProxies(first, others)]));
  return [...merged].toSorted((a, b) => b.count - a.count || compareTexts(a.proxies[0] ?? "", b.proxies[0] ?? ""));
}

function withProxies(first: Delivery, others: readonly Delivery[]): Delivery {
  const all = [first, ...others];
  return {
    ...first,
    proxies: all.flatMap(({ proxies }) => proxies).toSorted(compareTexts),
    count: all.reduce((sum, { count }) => sum + count, 0),
  };
}
