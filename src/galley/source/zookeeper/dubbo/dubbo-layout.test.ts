import { describe, expect, test } from "vitest";
import { dubboLayout } from "./dubbo-layout.ts";
import type { DubboOptions } from "./dubbo-service.ts";
import { dubboHostname, serviceKeyText } from "./service-key.ts";

const usual: DubboOptions = {
  naming: "dns",
  namespace: "dubbo",
  hostSuffix: "",
  protocol: "DUBBO",
  port: 0,
  instancePort: true,
  ignoredLabels: ["pid", "timestamp", "dubbo"],
  schemes: ["dubbo"],
};

/** The part for a listing of these providers of `com.acme.Cart`. */
function partOf(providers: readonly string[], options: Partial<DubboOptions> = {}) {
  const members = new Map(providers.map((url) => [encodeURIComponent(url), ""]));
  return dubboLayout({ ...usual, ...options }).openFolder(["com.acme.Cart"], "/dubbo/com.acme.Cart")(members);
}

function provider(address: string, query = "side=provider"): string {
  return `dubbo://${address}/com.acme.Cart?${query}`;
}

describe("a registry of Dubbo's", () => {
  test("has interfaces below its root, except reserved nodes", () => {
    const { roleOf } = dubboLayout(usual);
    expect(["com.acme.Cart", "config", "metadata", "mapping"].map((name) => roleOf([name]))).toEqual([
      "folder",
      "none",
      "none",
      "none",
    ]);
  });

  test("lists providers below an interface, and ignores consumers, configurators and routers", () => {
    const { listedAt, roleOf } = dubboLayout(usual);
    expect(listedAt(["com.acme.Cart"])).toBe("/com.acme.Cart/providers");
    expect(roleOf(["com.acme.Cart", "dubbo%3A"])).toBe("member");
  });
});

describe("a service key", () => {
  test.each([
    ["", "", "com.acme.Cart", "com.acme.cart"],
    ["g", "", "com.acme.Cart:g", "com.acme.cart-g"],
    ["g", "1.0.0", "com.acme.Cart:g:1.0.0", "com.acme.cart-g-1-0-0"],
    ["", "1.0.0", "com.acme.Cart::1.0.0", "com.acme.cart-1-0-0"],
    ["A_b/c", "", "com.acme.Cart:A_b/c", "com.acme.cart-a-b-c"],
  ])("of group %j and version %j is %s, by DNS %s", (group, version, text, hostname) => {
    const key = { interfaceName: "com.acme.Cart", group, version };
    expect(serviceKeyText(key)).toBe(text);
    expect(dubboHostname(key, "key")).toBe(text);
    expect(dubboHostname(key, "dns")).toBe(hostname);
  });

  test("makes one service per key of the providers of an interface", () => {
    const { services } = partOf([
      provider("10.0.0.1:1", "version=1.0"),
      provider("10.0.0.2:1", "default.version=1.0"),
      provider("10.0.0.3:1", "group=g&default.group=other&version=2.0"),
    ]);
    expect(services.map(({ hostname, instances }) => [hostname, instances.map(({ address }) => address)])).toEqual([
      ["com.acme.cart-1-0", ["10.0.0.1", "10.0.0.2"]],
      ["com.acme.cart-g-2-0", ["10.0.0.3"]],
    ]);
  });
});

describe("an unusable provider", () => {
  test("is skipped, and named by its node; the others are used", () => {
    const { services, issues = [] } = partOf([provider("10.0.0.1:1"), "dubbo://nowhere", "consumer://10.0.0.9/x?a=b"]);
    expect(services[0]?.instances).toHaveLength(1);
    expect(issues.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^\/dubbo\/com\.acme\.Cart\/providers\/dubbo%3A%2F%2Fnowhere is not of the form/u),
    ]);
  });

  test("an empty listing is no service", () => {
    expect(partOf([])).toEqual({ services: [], issues: [] });
  });
});

describe("services named by their keys", () => {
  const naming = "key";

  test("have a port for each provider port, named after the protocol, and TCP for proxies", () => {
    const [service] = partOf([provider("10.0.0.1:20880"), provider("10.0.0.2:20881")], { naming }).services;
    expect(service).toMatchObject({
      name: "com.acme.cart",
      namespace: "dubbo",
      hostname: "com.acme.Cart",
      labels: { path: "com.acme.Cart", registry: "zookeeper" },
      ports: [],
      instancePorts: true,
    });
    expect(service?.instances.map(({ ports }) => ports)).toEqual([
      [{ number: 20880, protocol: "TCP", name: "dubbo-20880" }],
      [{ number: 20881, protocol: "TCP", name: "dubbo-20881" }],
    ]);
  });

  test("may have their own port, in addition to those or instead of them", () => {
    const options = { naming, port: 80, instancePort: false, protocol: "GRPC", hostSuffix: ".dubbo" } as const;
    const [service] = partOf([provider("10.0.0.1:20880")], options).services;
    expect(service).toMatchObject({
      hostname: "com.acme.Cart.dubbo",
      ports: [{ number: 80, protocol: "GRPC", name: "grpc-80" }],
      instancePorts: false,
    });
  });
});

describe("services named for DNS", () => {
  test("have one port, whatever the ports of their providers", () => {
    const [service] = partOf([provider("10.0.0.1:20881"), provider("10.0.0.2:20880")]).services;
    expect(service).toMatchObject({
      name: "aeraki-com-acme-cart",
      hostname: "com.acme.cart",
      annotations: { interface: "com.acme.Cart" },
      ports: [{ number: 20880, protocol: "TCP", name: "tcp-metaprotocol-dubbo" }],
      instancePorts: false,
    });
  });

  test("may have a configured port", () => {
    const [service] = partOf([provider("10.0.0.1:20881")], { port: 80 }).services;
    expect(service?.ports).toMatchObject([{ number: 80 }]);
  });

  test("take account, locality, version and selector from their providers, if present", () => {
    const told = [
      "version=1.0&aeraki_meta_app_version=v2",
      "aeraki_meta_app_service_account=cart&aeraki_meta_locality=bj%2F800002&aeraki_meta_workload_selector=cart",
    ].join("&");
    const [service] = partOf([provider("10.0.0.1:1", told), provider("10.0.0.2:1", "version=1.0")]).services;
    expect(service?.annotations).toEqual({ interface: "com.acme.Cart", workloadSelector: "cart" });
    expect(service?.instances).toMatchObject([
      { address: "10.0.0.1", serviceAccount: "cart", locality: "bj/800002", labels: { version: "v2" } },
      { address: "10.0.0.2", labels: { version: "1.0" } },
    ]);
    expect(service?.instances[0]?.labels).toEqual({ version: "v2" });
    expect(service?.instances[1]).not.toHaveProperty("serviceAccount");
  });

  test("are in the first namespace of their providers, else the default; providers of other namespaces are skipped", () => {
    expect(partOf([provider("10.0.0.1:1")]).services).toMatchObject([{ namespace: "dubbo" }]);
    const { services, issues } = partOf([
      provider("10.0.0.1:1", "aeraki_meta_app_namespace=shop"),
      provider("10.0.0.2:1", "aeraki_meta_app_namespace=bank"),
    ]);
    expect(services).toMatchObject([{ namespace: "bank", instances: [{ address: "10.0.0.2" }] }]);
    expect(issues).toMatchObject([{ message: expect.stringContaining("is for another namespace than bank") }]);
  });
});
