import { expect, test } from "vitest";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { fakeBalancer } from "../../../../testing/model/fake-traffic-policy.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { Service } from "../../../model/service/service.ts";
import type { LoadBalancer, PortPolicy } from "../../../model/traffic/destination-rule.ts";
import { type DiscoveryType, discoveryTypeOf } from "./discovery-type.ts";

function typeOf(service: Partial<Service>, client: Proxy["type"], algorithm?: LoadBalancer["algorithm"]) {
  const loadBalancer = algorithm === undefined ? undefined : fakeBalancer({ algorithm });
  const policy: PortPolicy = { loadBalancer, connectionPool: undefined, outlierDetection: undefined, tls: undefined };
  return discoveryTypeOf(fakeService(service), { protocol: "HTTP" }, policy, client);
}

test.each<[Partial<Service>, DiscoveryType | undefined, DiscoveryType | undefined]>([
  [{ resolution: "static" }, "eds", "eds"],
  [{ resolution: "passthrough" }, "original-dst", "eds"],
  [{ resolution: "dns" }, "strict-dns", "strict-dns"],
  [{ resolution: "dns", racesAddresses: true }, "logical-dns", "logical-dns"],
  [{ resolution: "dns-round-robin" }, "logical-dns", "logical-dns"],
  [{ resolution: "dynamic-dns" }, undefined, undefined],
  [{ resolution: "dynamic-dns", hostname: "*.example.com" }, "forward-proxy", "forward-proxy"],
])("a service with %j is %s for sidecars and %s for routers", (service, sidecar, router) => {
  expect(typeOf(service, "sidecar")).toBe(sidecar);
  expect(typeOf(service, "router")).toBe(router);
});

test("a rule may send connections to their original destination, whatever the service's resolution is", () => {
  expect(typeOf({ resolution: "static" }, "sidecar", "passthrough")).toBe("original-dst");
  expect(typeOf({ resolution: "dns" }, "router", "passthrough")).toBe("original-dst");
  expect(typeOf({ resolution: "static" }, "sidecar", "random")).toBe("eds");
});
