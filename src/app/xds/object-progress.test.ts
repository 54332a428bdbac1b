import { expect, onTestFinished, test, vi } from "vitest";
import { ContentLedger } from "../../pilot/xds/status/progress/content-ledger.ts";
import { pageOf, passing, rawClient, shopEntry, started, wiredServer } from "../../testing/server/wired-server.ts";
import { turns } from "../../testing/until.ts";
import { clusterType } from "../../xds/type-urls.ts";

interface Page {
  readonly missing: readonly { readonly type: string; readonly why: string }[];
}

test("the pushes of a response are noted once, however many proxies are sent them", async () => {
  const server = await started(wiredServer({ desk: false }));
  const clients = Array.from({ length: 20 }, () => rawClient(server.discovery));
  for (const [index, client] of clients.entries()) {
    client.ask(clusterType, { id: `sidecar~10.0.1.${index}~web-${index}.shop~shop.svc.cluster.local` });
  }
  await passing(server.clock, turns(10));
  for (const client of clients) client.answer(clusterType, client.answers.at(-1)?.nonce ?? "");
  const noted = vi.spyOn(ContentLedger.prototype, "responseSent");
  onTestFinished(() => noted.mockRestore());
  server.source.apply(shopEntry("reviews"));
  await passing(server.clock, turns(100));
  expect(clients.map(({ answers }) => answers.length)).toEqual(clients.map(() => 2));
  expect(noted).toHaveBeenCalledOnce();
});

test("without a desk, too, an object waits for the answer to the response that has it", async () => {
  const server = await started(wiredServer({ desk: false }));
  const proxy = rawClient(server.discovery);
  const answer = async () => {
    proxy.answer(clusterType, proxy.answers.at(-1)?.nonce ?? "");
    await passing(server.clock, turns(10));
  };
  const missing = async () => {
    const page = await pageOf(server, "/debug/object_progress?object=ServiceEntry/shop/reviews&for=live");
    return (JSON.parse(page.body) as Page).missing.map(({ type, why }) => `${type} ${why}`);
  };
  proxy.ask(clusterType, { id: "sidecar~10.0.0.9~web.shop~shop.svc.cluster.local" });
  await passing(server.clock, turns(10));
  await answer();
  server.source.apply(shopEntry("reviews"));
  await passing(server.clock, turns(100));
  expect(await missing()).toContain("CDS unacknowledged");
  await answer();
  expect(await missing()).not.toContain("CDS unacknowledged");
});
