import { expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import type { Conflict } from "../../pilot/model/conflict.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { type ConflictState, conflictsPage } from "./conflicts.ts";

const web = proxyWithName("sidecar~10.0.0.1~x.web~web.svc.cluster.local");
const shop = proxyWithName("sidecar~10.0.0.2~y.shop~shop.svc.cluster.local");
const first = configId("VirtualService", "shop", "first");
const second = configId("VirtualService", "shop", "second");

function lostIn(about: string): Conflict {
  return { type: "virtual-host", about, winner: first, losers: [second], reason: "the older one wins" };
}

const state: ConflictState = {
  proxies: () => [web, shop],
  conflictsAmong: (proxies) => [...proxies].map(({ namespace }) => [lostIn(`${namespace}.com:80`)]),
  dangling: () => [{ owner: second, type: "gateway", name: "edge/edge", fallback: "nobody serves it" }],
  originOf: (id) => ({ source: "test", reference: `${id.split("/")[2]}.yaml:1`, locate: () => undefined }),
};

interface Page {
  readonly conflicts: readonly unknown[];
  readonly dangling: readonly unknown[];
}

async function page(query = "", namespace?: string): Promise<Page | number> {
  const { answer, answerWithin } = conflictsPage(state);
  const parameters = new URLSearchParams(query);
  const answered = namespace === undefined ? answer(parameters) : answerWithin?.(namespace, parameters);
  const { status, body } = (await answered) ?? { status: 0, body: "" };
  return status === 200 ? (JSON.parse(body) as Page) : status;
}

test("each conflict has its winner, its losers and the reason, with their places in files", async () => {
  expect(await page("proxyID=x.web")).toMatchObject({
    conflicts: [
      {
        type: "virtual-host",
        about: "web.com:80",
        winner: { object: first, reference: "first.yaml:1" },
        losers: [{ object: second, reference: "second.yaml:1" }],
        reason: "the older one wins",
      },
    ],
  });
});

test("dangling references are listed too, and a workload sees those of its own namespace", async () => {
  const dangling = [
    { object: second, reference: "second.yaml:1", type: "gateway", name: "edge/edge", fallback: "nobody serves it" },
  ];
  expect(await page()).toMatchObject({ dangling });
  expect(await page("", "shop")).toMatchObject({ dangling });
  expect(await page("", "web")).toMatchObject({ dangling: [] });
});

test("without a proxy the page shows all conflicts, and a workload sees those of its own namespace", async () => {
  expect(await page()).toMatchObject({ conflicts: [{ about: "shop.com:80" }, { about: "web.com:80" }] });
  expect(await page("", "shop")).toMatchObject({ conflicts: [{ about: "shop.com:80" }] });
});

test("a proxy that is not connected, or not visible to the viewer, is not found", async () => {
  expect(await page("proxyID=nobody")).toBe(404);
  expect(await page(`proxyID=${web.nodeId}`, "shop")).toBe(404);
});
