import type {
  HistoryDiff,
  HistoryListing,
  HistoryMoment,
  HistoryProxies,
  HistoryProxyDiff,
} from "../../../../src/desk/api/model/history.ts";
import { at, earlier, reviews } from "./fake-facts.ts";

const node = "sidecar~10.0.0.7~reviews-7d9f8b6c5-x2x4z.shop~shop.svc.cluster.local";

function moment(number: number, rest: Partial<HistoryMoment> = {}): HistoryMoment {
  const objects = { items: [{ ...reviews, operation: "updated" } as const], total: 3 };
  return { number, at, cause: "change", objects, ...rest };
}

const listing: HistoryListing = {
  kept: true,
  directory: "/var/lib/binnacle/history",
  items: [moment(12), moment(11), moment(10, { cause: "start", at: earlier, objects: { items: [], total: 0 } })],
  next: 10,
};

const differences = {
  items: [
    { path: "spec.http[0].timeout", here: "3s", there: "30s" },
    { path: "spec.http[0].route[0].destination", here: { host: "reviews", subset: "v1" } },
  ],
  total: 2,
};

const diff: HistoryDiff = {
  objects: { items: [{ object: { ...reviews, operation: "updated" }, differences }], total: 1 },
};

const behind = [{ type: "RDS", accepted: 11, why: "rejected" } as const];
const proxies: HistoryProxies = {
  pushed: 12,
  proxies: { items: [{ node, name: "reviews-7d9f8b6c5-x2x4z.shop", behind }], total: 1 },
};

const resources: HistoryProxyDiff = {
  node,
  resources: {
    items: [{ type: "RDS", name: "9080", operation: "updated", differences }],
    total: 1,
  },
};

/** The answers of the history screen. */
export function fakeHistory(rest: readonly string[]): object {
  if (rest.length === 0) return listing;
  if (rest[0] === "diff") return diff;
  return rest.length === 1 ? proxies : resources;
}

/** Two moments, and a proxy. */
export const historyAddress = `/history?from=11&to=12&node=${encodeURIComponent(node)}`;
