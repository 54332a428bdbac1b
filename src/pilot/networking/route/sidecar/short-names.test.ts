import { expect, test } from "vitest";
import { shortNamesOf } from "./short-names.ts";

const shop = "shop.svc.cluster.local";

test.each<[string, string, string, readonly string[]]>([
  ["of its own namespace", "cart.shop.svc.cluster.local", shop, ["cart", "cart.shop.svc", "cart.shop"]],
  ["of another namespace", "cart.pay.svc.cluster.local", shop, ["cart.pay.svc", "cart.pay"]],
  ["of another cluster", "cart.shop.svc.elsewhere", shop, []],
  ["outside the cluster", "www.example.com", shop, []],
  ["that only ends like one", "cart.local", shop, []],
  ["without a namespace", "cart.svc.cluster.local", shop, []],
  ["of all in its own namespace", "*.shop.svc.cluster.local", shop, ["*.shop.svc", "*.shop"]],
  ["beside a proxy outside Kubernetes", "cart.campus.net", "campus.net", ["cart"]],
  ["two labels away", "cart.local.campus.net", "remote.campus.net", ["cart.local", "cart.local.campus"]],
  ["that is the proxy's domain", "campus.net", "campus.net", []],
  ["of all in the proxy's domain", "*.campus.net", "campus.net", []],
  ["for a proxy of no domain", "cart.shop.svc.cluster.local", "", []],
])("a host %s: %s from %j", (_, hostname, dnsDomain, expected) => {
  expect(shortNamesOf(hostname, dnsDomain)).toEqual(expected);
});
