import { describe, expect, test } from "vitest";
import { routesFor } from "../../testing/envoy/toy-envoy-config.ts";
import { chooseVirtualHost } from "./choose-virtual-host.ts";

const domains = ["shop.example.com", "*.example.com", "*-api.example.com", "*.com", "shop.*", "sh*", "*"];

function choose(host: string, ignorePort = true, among: readonly string[] = domains) {
  const routes = routesFor("http", Object.fromEntries(among.map((domain) => [domain, []])));
  routes.ignorePortInHostMatching = ignorePort;
  return chooseVirtualHost(routes, { host, port: 80, path: "/", method: "GET", headers: {} });
}

describe("the virtual host", () => {
  test.each([
    ["shop.example.com", "shop.example.com", "shop.example.com is one of its domains"],
    ["SHOP.example.com:8443", "shop.example.com", "shop.example.com is one of its domains"],
    ["other.example.com", "*.example.com", "its domain *.example.com covers other.example.com"],
    ["deep.other.example.com", "*.example.com", "its domain *.example.com covers deep.other.example.com"],
    ["new-api.example.com", "*-api.example.com", "its domain *-api.example.com covers new-api.example.com"],
    ["example.com", "*.com", "its domain *.com covers example.com"],
    ["shop.net", "shop.*", "its domain shop.* covers shop.net"],
    ["shed", "sh*", "its domain sh* covers shed"],
    [".example.com", "*.com", "its domain *.com covers .example.com"],
    ["nowhere", "*", "no other serves nowhere, and its domain * takes every host"],
  ])("of %s has the domain %s", (host, name, why) => {
    expect(choose(host)).toMatchObject({ type: "chosen", step: { name, why } });
  });

  test("includes the port of the host, unless the port is ignored", () => {
    const among = ["shop:80", "*"];
    expect(choose("shop:80", false, among)).toMatchObject({ step: { name: "shop:80" } });
    expect(choose("shop:80", true, among)).toMatchObject({ step: { name: "*" } });
  });

  test("for all hosts is chosen last, and similar domains are listed", () => {
    const among = ["shop.example.com", "shop.web", "news.example.com", "*"];
    expect(choose("shop", true, among)).toMatchObject({
      step: {
        name: "*",
        passedOver: [
          { name: "shop.example.com", why: "its domains are shop.example.com" },
          { name: "shop.web", why: "its domains are shop.web" },
        ],
      },
    });
    expect(choose("shop.web", true, among)).toMatchObject({ step: { passedOver: [] } });
  });

  test("may be missing", () => {
    const reason = "no virtual host of http serves b";
    expect(choose("b", true, ["a"])).toEqual({ type: "refused", status: 404, reason, passedOver: [] });
  });
});
