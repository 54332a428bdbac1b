import { expect, test } from "vitest";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { fakeGateway, fakeServer } from "../../../../testing/model/fake-gateway.ts";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakeMatch, fakeVirtualService, forwardTo } from "../../../../testing/model/traffic.ts";
import { mergedGatewayFor, routeTablesOf } from "../../../model/gateway/merged-gateway.ts";
import { noTranslation } from "../../../model/gateway/port-translation.ts";
import { defaultRouteSettings as settings } from "../../../model/proxy/proxy-settings.ts";
import type { VirtualService } from "../../../model/traffic/virtual-service.ts";
import { conflictsOver, gatewayHosts } from "./gateway-hosts.ts";

const labels = { app: "edge" };
const some = { ...forwardTo("a.shop", 80), matches: [fakeMatch({ uri: { type: "prefix", value: "/a" } })] };
const all = forwardTo("b.shop", 80);

function hostsOf(virtualServices: readonly VirtualService[], gateway = fakeGateway()) {
  const push = pushOf({ gateways: [gateway], virtualServices });
  const [table] = mergedGatewayFor({ namespace: "edge", labels, translation: noTranslation }, push).ports.flatMap(
    routeTablesOf,
  );
  if (table === undefined) throw new Error("the gateway has a port for requests");
  return gatewayHosts({ table, namespace: "edge", labels, settings, push }, new ProtoWriter());
}

test("virtual services for one host add up, in the order of their age", () => {
  const old = fakeVirtualService({ name: "old", createdAt: 1, http: [all] });
  const young = fakeVirtualService({ name: "young", createdAt: 2, http: [some] });
  const { drafts, owners } = hostsOf([young, old]);
  expect(drafts.map(({ hostname, routes }) => [hostname, routes.map(({ owner }) => owner)])).toEqual([
    ["shop.example.com", ["VirtualService/shop/old", "VirtualService/shop/young"]],
  ]);
  expect(owners).toEqual(["VirtualService/shop/old", "VirtualService/shop/young"]);
  expect(drafts.flatMap(conflictsOver)).toEqual([]);
});

test("the first of two catch-all routes wins, and the second is reported", () => {
  const old = fakeVirtualService({ name: "old", createdAt: 1, http: [all] });
  const young = fakeVirtualService({ name: "young", createdAt: 2, http: [some, all] });
  expect(hostsOf([young, old]).drafts.flatMap(conflictsOver)).toMatchObject([
    { type: "virtual-host", about: "shop.example.com:8080", winner: old.owner, losers: [young.owner] },
  ]);
});

test("hosts are where those of servers and virtual services overlap: the narrower of each pair", () => {
  const hosts = [
    { namespace: "*", hostname: "*.example.com" },
    { namespace: "other", hostname: "*" },
  ];
  const wide = fakeVirtualService({ hosts: ["*", "shop.example.com", "example.org"], http: [all] });
  const { drafts } = hostsOf([wide], fakeGateway({ servers: [fakeServer({ hosts })] }));
  expect(drafts.map(({ hostname }) => hostname)).toEqual(["*.example.com", "shop.example.com"]);
});

test("delegates and rules with a hash are owners, too", () => {
  const delegates = [fakeVirtualService({ name: "d" }).owner];
  expect(hostsOf([fakeVirtualService({ delegates, http: [all] })]).owners).toEqual([
    "VirtualService/shop/cart",
    "VirtualService/shop/d",
  ]);
});
