import { expect, test } from "vitest";
import { fakeVirtualService, forwardTo } from "../../../testing/model/traffic.ts";
import type { HttpRoute, VirtualService } from "../../model/traffic/virtual-service.ts";
import { routingFor } from "./routing-for.ts";

const context = { port: 80, gateway: "mesh", labels: {}, namespace: "web" };

function virtual(name: string, hosts: readonly string[], http: readonly HttpRoute[] = [forwardTo("cart.shop")]) {
  return fakeVirtualService({ name, hosts, gateways: ["mesh"], http });
}

function decides(hostname: string, virtualServices: readonly VirtualService[]): string | undefined {
  return routingFor(hostname, virtualServices, context)?.virtualService.name;
}

const all = virtual("all", ["*"]);
const wild = virtual("wild", ["*.shop"]);
const first = virtual("first", ["cart.shop", "pay.shop"]);
const second = virtual("second", ["cart.shop"]);
const empty = virtual("empty", ["cart.shop"], []);

test("the most specific name decides in any order", () => {
  expect(decides("cart.shop", [all, wild, second])).toBe("second");
  expect(decides("tea.shop", [all, wild, second])).toBe("wild");
  expect(decides("tea.house", [all, wild, second])).toBe("all");
  expect(decides("tea.house", [wild, second])).toBeUndefined();
});

test("the first of several equal names with a route that applies decides", () => {
  expect(decides("cart.shop", [first, second])).toBe("first");
  expect(decides("cart.shop", [empty, second])).toBe("second");
  expect(decides("cart.shop", [wild, empty])).toBeUndefined();
});

test("hostnames match in any case", () => {
  expect(decides("Cart.shop", [virtual("loud", ["CART.SHOP"])])).toBe("loud");
});
