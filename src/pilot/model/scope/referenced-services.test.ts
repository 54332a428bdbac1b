import { expect, test } from "vitest";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { fakeMatch, fakeVirtualService, forwardTo, mirrorTo } from "../../../testing/model/traffic.ts";
import type { HttpRoute } from "../traffic/virtual-service.ts";
import { egressScopeOf, importsEverything } from "./egress-scope.ts";
import { referencedServices } from "./referenced-services.ts";

const ports = [80, 81].map((number) => ({ number, name: `p${number}`, protocol: "HTTP", targetPort: number }) as const);
const services = ["cart.shop", "pay.shop", "audit.shop"].map((hostname) => fakeService({ hostname, ports }));

/** The services and ports that a route references, for a workload of namespace web without other imports. */
function referencedBy(route: HttpRoute): readonly string[] {
  const virtualServices = [fakeVirtualService({ hosts: ["front.web"], gateways: ["mesh"], http: [route] })];
  const importable = { namespace: "web", services, virtualServices };
  const hosts = [{ namespace: "*", hostname: "front.web", excluded: false }];
  const egress = [egressScopeOf({ ...importsEverything, hosts }, importable)];
  return referencedServices(egress, importable).map(
    ({ hostname, ports: left }) => `${hostname} ${left.map(({ number }) => number).join()}`,
  );
}

test.each<[string, HttpRoute, readonly string[]]>([
  ["a port that is named", forwardTo("cart.shop", 80), ["cart.shop 80"]],
  ["all ports when none is", forwardTo("cart.shop"), ["cart.shop 80,81"]],
  [
    "what mirrors name",
    forwardTo("cart.shop", 80, { mirrors: [mirrorTo("pay.shop", 81), mirrorTo("audit.shop")] }),
    ["cart.shop 80", "pay.shop 81", "audit.shop 80,81"],
  ],
  [
    "what a destination and a mirror name together",
    forwardTo("cart.shop", 80, { mirrors: [mirrorTo("cart.shop", 81)] }),
    ["cart.shop 80,81"],
  ],
  ["nobody unknown", forwardTo("cart.shop", 80, { mirrors: [mirrorTo("nobody.shop")] }), ["cart.shop 80"]],
  [
    "nothing for requests from elsewhere",
    { ...forwardTo("cart.shop", 80), matches: [fakeMatch({ sourceNamespace: "shop" })] },
    [],
  ],
])("a route references %s", (_, route, expected) => {
  expect(referencedBy(route)).toEqual(expected);
});
