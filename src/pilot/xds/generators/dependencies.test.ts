import { expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeEndpoint, fakeService } from "../../../testing/model/fake-service.ts";
import { fakeVirtualService } from "../../../testing/model/traffic.ts";
import { fakeSidecar } from "../../../testing/model/workload.ts";
import type { Dependencies } from "../generator.ts";
import { onlyHostnames, routerDependencies, sidecarDependencies, workloadDependencies } from "./dependencies.ts";

/** Asks about an object by its kind, namespace and name. */
function asking(dependsOn: Dependencies) {
  return (kind: string, namespace: string, name: string) => dependsOn(configId(kind, namespace, name));
}

test("a sidecar part depends on imported objects and its own Sidecar, never on gateways or instances", () => {
  const push = pushOf({
    services: [fakeService(), fakeService({ hostname: "web.web", namespace: "web" })],
    virtualServices: [fakeVirtualService({ namespace: "web", hosts: ["web.web"], gateways: ["mesh"] })],
    sidecars: [
      fakeSidecar({
        namespace: "web",
        name: "s",
        egress: [
          {
            port: undefined,
            bind: "",
            captureMode: "default",
            hosts: [{ namespace: ".", hostname: "*", excluded: false }],
          },
        ],
      }),
    ],
  });
  const depends = asking(sidecarDependencies({ namespace: "web", sidecar: "web/s" }, push));
  expect(depends("Service", "web", "web.web")).toBe(true);
  expect(depends("Endpoints", "web", "web.web")).toBe(true);
  expect(depends("Service", "shop", "cart.shop")).toBe(false);
  expect(depends("VirtualService", "web", "cart")).toBe(true);
  expect(depends("VirtualService", "shop", "cart")).toBe(false);
  expect(depends("Sidecar", "web", "s")).toBe(true);
  expect(depends("Sidecar", "web", "other")).toBe(false);
  expect(depends("Gateway", "web", "g")).toBe(false);
  expect(depends("Instance", "", "10.0.0.1")).toBe(false);
  expect(depends("DestinationRule", "shop", "cart")).toBe(true);
});

test("a router part depends on visible services by hostname, and on every kind that it does not know", () => {
  const depends = asking(routerDependencies("web", pushOf({ services: [fakeService()] })));
  expect(depends("Service", "shop", "cart.shop")).toBe(true);
  expect(depends("Endpoints", "other", "cart.shop")).toBe(true);
  expect(depends("Service", "shop", "pay.shop")).toBe(false);
  expect(depends("VirtualService", "shop", "pay.shop")).toBe(true);
  expect(depends("Sidecar", "web", "s")).toBe(false);
  expect(depends("Instance", "", "10.0.0.1")).toBe(false);
  expect(depends("Novelty", "shop", "pay.shop")).toBe(true);
});

test("an inbound part depends on the workload's addresses, its services, their rules and its policies", () => {
  const workload = { addresses: ["10.0.0.5"], namespace: "shop", labels: {} };
  const ref = { namespace: "shop", sidecar: "shop/s" };
  const endpoints = [{ hostname: "cart.shop", namespace: "shop", endpoints: [fakeEndpoint()], owners: [] }];
  const push = pushOf({ services: [fakeService(), fakeService({ hostname: "pay.shop" })], endpoints });
  const at = (address: string) => asking(workloadDependencies({ ...workload, addresses: [address] }, ref, push));
  const depends = at("10.0.0.5");
  expect(depends("Instance", "", "10.0.0.5")).toBe(true);
  expect(depends("Instance", "", "10.0.0.6")).toBe(false);
  expect(depends("Service", "shop", "cart.shop")).toBe(true);
  expect(depends("Service", "shop", "pay.shop")).toBe(false);
  expect(depends("DestinationRule", "shop", "any")).toBe(true);
  expect(depends("VirtualService", "shop", "any")).toBe(false);
  expect(depends("Sidecar", "shop", "s")).toBe(true);
  expect(depends("Sidecar", "shop", "other")).toBe(false);
  expect(["shop", "istio-system", "web"].map((each) => depends("PeerAuthentication", each, "default"))).toEqual([
    true,
    true,
    false,
  ]);
  expect(at("10.0.0.7")("DestinationRule", "shop", "any")).toBe(false);
});

test("a part of some hostnames ignores other services, and no other kind", () => {
  const depends = asking(onlyHostnames(new Set(["cart.shop", "gone.shop"]), ({ length }) => length > 0));
  expect(depends("Service", "shop", "cart.shop")).toBe(true);
  expect(depends("Endpoints", "shop", "pay.shop")).toBe(false);
  expect(depends("DestinationRule", "shop", "pay")).toBe(true);
  expect(onlyHostnames(new Set(["cart.shop"]), () => false)(configId("Service", "shop", "cart.shop"))).toBe(false);
});
