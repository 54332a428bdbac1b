import { expect, test } from "vitest";
import type { FakeClock } from "../../testing/fake-clock.ts";
import {
  pageOf,
  passing,
  rawClient,
  shopEntry,
  started,
  valuesOf,
  wiredServer,
} from "../../testing/server/wired-server.ts";
import { turns } from "../../testing/until.ts";
import { listenerType } from "../../xds/type-urls.ts";

const sidecar = { id: "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local" };
const route = (name: string) => `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: ${name}, namespace: shop }
spec: { hosts: [reviews.example], http: [{ route: [{ destination: { host: nowhere.example } }] }] }
`;

/** A server with one proxy, and two VirtualServices for one host. Both have a destination that nobody knows. */
async function conflicting() {
  const server = wiredServer();
  server.source.apply(shopEntry("reviews"));
  await started(server);
  const proxy = rawClient(server.discovery);
  proxy.ask(listenerType, sidecar);
  server.source.apply(route("first"));
  server.source.apply(route("second"));
  server.clock.advance(1_000);
  await server.discovery.idle();
  return { ...server, proxy };
}

/** Lets the periodic search run, and end. */
async function searched({ clock }: { readonly clock: FakeClock }): Promise<void> {
  clock.advance(10_000);
  await turns(20);
}

const host = { type: "virtual-host", about: "reviews.example:80" };
const lost = { type: "destination", name: "nowhere.example" };

test("conflicts are on their page, with the places of the objects", async () => {
  const { proxies, conflicts, dangling } = JSON.parse((await pageOf(await conflicting(), "/debug/conflicts")).body);
  expect(proxies).toBe(1);
  const [first, second] = [
    { object: "VirtualService/shop/first", reference: "a.yaml:2" },
    { object: "VirtualService/shop/second", reference: "a.yaml:2" },
  ];
  expect(conflicts).toMatchObject([{ ...host, winner: first, losers: [second] }]);
  expect(dangling).toMatchObject([
    { ...first, ...lost },
    { ...second, ...lost },
  ]);
});

test("conflicts are on the page of push statuses", async () => {
  const { body } = await pageOf(await conflicting(), "/debug/push_status");
  const [winner, loser] = ["VirtualService/shop/first", "VirtualService/shop/second"];
  expect(JSON.parse(body)).toEqual({
    [host.type]: { [host.about]: { winner, losers: [loser], message: expect.any(String) } },
  });
});

test("conflicts are lines of the log when they come and go, and metrics while they last", async () => {
  const server = await conflicting();
  const lines = (message: string) =>
    server.logger.lines.filter((line) => line.message === message).map(({ fields }) => fields);
  await searched(server);
  const winner = "VirtualService/shop/first (a.yaml:2)";
  const losers = ["VirtualService/shop/second (a.yaml:2)"];
  expect(lines("conflict")).toMatchObject([{ scope: "xds", ...host, winner, losers }]);
  expect(lines("referenced object not found")).toMatchObject([
    { scope: "xds", object: "VirtualService/shop/first", reference: "a.yaml:2", ...lost },
    { scope: "xds", object: "VirtualService/shop/second", reference: "a.yaml:2", ...lost },
  ]);
  expect(await valuesOf(server.metrics, "binnacle_conflicts")).toEqual(['{type="virtual-host"} 1']);
  expect(await valuesOf(server.metrics, "pilot_vservice_dup_domain")).toEqual(["1"]);
  server.source.remove(route("second"));
  server.clock.advance(1_000);
  await server.discovery.idle();
  await searched(server);
  expect(lines("conflict resolved")).toHaveLength(1);
  expect(lines("referenced object found again")).toMatchObject([{ object: "VirtualService/shop/second" }]);
  expect(await valuesOf(server.metrics, "binnacle_conflicts")).toEqual([]);
});

test("conflicts are searched again when a proxy connects", async () => {
  const server = await conflicting();
  server.proxy.client.close();
  await searched(server);
  expect(await valuesOf(server.metrics, "binnacle_conflicts")).toEqual([]);
  rawClient(server.discovery).ask(listenerType, sidecar);
  await server.discovery.idle();
  await searched(server);
  expect(await valuesOf(server.metrics, "binnacle_conflicts")).toEqual(['{type="virtual-host"} 1']);
});

test("conflicts that cannot be searched are a failure of the part", async () => {
  const server = await conflicting();
  Object.defineProperty(server.discovery.catalogue, "published", {
    get: () => {
      throw new Error("planted");
    },
  });
  await searched(server);
  expect(await valuesOf(server.metrics, "binnacle_part_failures_total")).toEqual(['{part="conflicts"} 3']);
});

test("conflicts are searched no more after the server has stopped", async () => {
  const server = await conflicting();
  await passing(server.clock, server.lifecycle.stop());
  server.clock.advance(60_000);
  await turns(20);
  expect(server.logger.messages("warn")).not.toContain("conflict");
  expect(server.logger.messages("warn")).not.toContain("referenced object not found");
});
