import { describe, expect, test } from "vitest";
import type { EurekaInstance } from "./eureka-instance.ts";
import { defaultServiceSettings, type EurekaServiceSettings, servicesOf } from "./services-of.ts";

function instance(more: Partial<EurekaInstance> = {}): EurekaInstance {
  return {
    app: "MY_CART",
    id: "one",
    hostname: "One.Shop",
    address: "10.0.0.1",
    status: "UP",
    inService: true,
    port: { number: 8080, enabled: true },
    securePort: { number: 8443, enabled: false },
    metadata: {},
    ...more,
  };
}

function services(instances: readonly EurekaInstance[], settings: Partial<EurekaServiceSettings> = {}) {
  return servicesOf(instances, { ...defaultServiceSettings, ...settings });
}

function names(instances: readonly EurekaInstance[], settings: Partial<EurekaServiceSettings> = {}) {
  return services(instances, settings).map(({ namespace, name, hostname }) => `${namespace}/${name} ${hostname}`);
}

function portsOf(more: Partial<EurekaInstance>) {
  return services([instance(more)])[0]?.instances[0]?.ports.map(({ number, protocol }) => `${protocol} ${number}`);
}

describe("an application", () => {
  test("is a service with the port 80, and those of its instances in service", () => {
    const down = instance({ id: "two", inService: false });
    expect(services([instance({ metadata: { version: "v1" } }), down])).toEqual([
      {
        namespace: "eureka",
        name: "my-cart",
        hostname: "my-cart.eureka.svc.cluster.local",
        reference: "application MY_CART",
        labels: { registry: "eureka", app: "my_cart" },
        ports: [{ number: 80, protocol: "HTTP" }],
        instancePorts: true,
        instances: [
          { id: "one", address: "10.0.0.1", ports: [{ number: 8080, protocol: "HTTP" }], labels: { version: "v1" } },
        ],
      },
    ]);
  });

  test.each<[Partial<EurekaServiceSettings>, string]>([
    [{ namespace: "shop", domain: "mesh" }, "shop/my-cart my-cart.shop.svc.mesh"],
    [{ domainSuffix: false }, "eureka/my-cart my-cart.eureka"],
    [{ namespaceHost: false, namespace: "shop" }, "shop/my-cart my-cart"],
    [{ namespaceHost: false, appSuffix: ".Nsf" }, "eureka/my-cart.nsf my-cart.nsf"],
    [{ groupBy: "hostname" }, "eureka/one.shop one.shop"],
    [{ registryId: "East_1" }, "eureka/my-cart-east-1 my-cart.eureka.svc.cluster.local"],
  ])("is named by the settings %j", (settings, name) => {
    expect(names([instance()], settings)).toEqual([name]);
  });

  test("is one service for each namespace of its instances", () => {
    const other = instance({ id: "two", metadata: { k8sNs: "shop" } });
    expect(names([instance(), other])).toEqual([
      "eureka/my-cart my-cart.eureka.svc.cluster.local",
      "shop/my-cart my-cart.shop.svc.cluster.local",
    ]);
  });

  test("may be split by project codes", () => {
    const coded = instance({ id: "two", metadata: { projectCode: "Blue" } });
    expect(names([instance(), coded], { projectCode: true, domainSuffix: false })).toEqual([
      "eureka/my-cart my-cart.eureka",
      "eureka/my-cart-blue my-cart-blue.eureka",
    ]);
    expect(names([instance(), coded], { domainSuffix: false })).toHaveLength(1);
  });

  test("without in-service instances still exists", () => {
    expect(services([instance({ inService: false })])).toMatchObject([{ instances: [] }]);
  });

  test("may omit its own port, or those of its instances", () => {
    expect(services([instance()], { port: 0 })).toMatchObject([{ ports: [], instancePorts: true }]);
    expect(services([instance()], { instancePort: false })).toMatchObject([{ instancePorts: false }]);
  });
});

describe("the ports of an instance", () => {
  test("are the enabled ones, plain before secure", () => {
    expect(portsOf({ securePort: { number: 8443, enabled: true } })).toEqual(["HTTP 8080", "HTTPS 8443"]);
    const secureOnly = { port: { number: 80, enabled: false }, securePort: { number: 8443, enabled: true } };
    expect(portsOf(secureOnly)).toEqual(["HTTPS 8443"]);
    expect(portsOf({ port: { number: 80, enabled: false } })).toEqual(["HTTP 80"]);
    expect(portsOf({ port: undefined })).toEqual([]);
  });

  test("have the protocol from metadata, TCP if it is unknown", () => {
    expect(portsOf({ metadata: { "istio.protocol": "grpc" } })).toEqual(["GRPC 8080"]);
    expect(portsOf({ metadata: { "istio.protocol": "thrift" } })).toEqual(["TCP 8080"]);
    const [service] = services([instance({ metadata: { "istio.protocol": "grpc", a: "b" } })]);
    expect(service?.instances[0]?.labels).toEqual({ a: "b" });
  });
});

test("endpoints have a registry label if the registry has a name", () => {
  expect(services([instance()], { registryId: "east" })[0]?.instances[0]?.labels).toEqual({ "registry-id": "east" });
});
