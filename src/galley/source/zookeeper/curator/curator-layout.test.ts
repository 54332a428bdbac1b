import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../../../../testing/random/seed.ts";
import type { ServiceSettings } from "../layout.ts";
import { curatorLayout } from "./curator-layout.ts";

const usual: ServiceSettings = {
  namespace: "services",
  hostSuffix: "",
  protocol: "HTTP",
  port: 0,
  instancePort: true,
  ignoredLabels: [],
};

function partOf(
  nodePath: readonly string[],
  members: Readonly<Record<string, unknown>>,
  options: Partial<ServiceSettings> = {},
) {
  const texts = Object.entries(members).map(([id, instance]): [string, string] => {
    return [id, typeof instance === "string" ? instance : JSON.stringify(instance)];
  });
  return curatorLayout({ ...usual, ...options }).openFolder(
    nodePath,
    `/services/${nodePath.join("/")}`,
  )(new Map(texts));
}

/** As Spring Cloud writes it. */
const spring = {
  name: "cart",
  id: "3f2a",
  address: "10.0.0.7",
  port: 8080,
  sslPort: null,
  payload: {
    "@class": "org.springframework.cloud.zookeeper.discovery.ZookeeperInstance",
    id: "cart-1",
    name: "cart",
    metadata: { instance_status: "UP", zone: "a", weight: 3 },
  },
  registrationTimeUTC: 1_700_000_000_000,
  serviceType: "DYNAMIC",
  uriSpec: { parts: [{ value: "scheme", variable: true }] },
};

describe("a registry of Curator's", () => {
  const { roleOf, isFolder, listedAt } = curatorLayout(usual);

  test("has services below its root, and reads the nodes below them", () => {
    expect([roleOf(["cart"]), roleOf(["cart", "3f2a"]), roleOf(["shop", "cart", "3f2a"])]).toEqual([
      "folder",
      "document",
      "document",
    ]);
    expect(listedAt(["shop", "cart"])).toBe("/shop/cart");
  });

  test.each([
    ["", true],
    ["10.0.0.9", true],
    [JSON.stringify(spring), false],
    [" { broken", false],
  ])("a node that holds %j is a folder of others: %s", (text, folder) => {
    expect(isFolder(text)).toBe(folder);
  });
});

describe("an instance", () => {
  test("has a port, an SSL port, and labels from its metadata", () => {
    const { services } = partOf(["cart"], { "3f2a": { ...spring, sslPort: 8443 } });
    expect(services).toEqual([
      {
        name: "cart",
        namespace: "services",
        hostname: "cart",
        reference: "/services/cart",
        labels: { path: "cart", registry: "zookeeper" },
        ports: [],
        instancePorts: true,
        instances: [
          {
            id: "3f2a",
            address: "10.0.0.7",
            ports: [
              { number: 8080, protocol: "HTTP" },
              { number: 8443, protocol: "HTTPS" },
            ],
            labels: { instance_status: "UP", zone: "a", weight: "3" },
          },
        ],
      },
    ]);
  });

  test("may have no payload, and another protocol", () => {
    const { services } = partOf(["cart"], { one: { address: "10.0.0.7", port: 9090 } }, { protocol: "GRPC", port: 80 });
    expect(services).toMatchObject([
      {
        ports: [{ number: 80, protocol: "GRPC" }],
        instances: [{ ports: [{ number: 9090, protocol: "GRPC" }], labels: {} }],
      },
    ]);
  });

  test("may have a name instead of an address", () => {
    expect(partOf(["cart"], { one: { ...spring, address: "cart.acme.com" } }).services).toMatchObject([
      { instances: [{ address: "cart.acme.com" }] },
    ]);
  });

  test.each([
    ["DOWN", { ...spring, payload: { metadata: { instance_status: "DOWN" } } }],
    ["OUT_OF_SERVICE", { ...spring, payload: { metadata: { instance_status: "OUT_OF_SERVICE" } } }],
    ["not enabled", { ...spring, enabled: false }],
  ])("that is %s is out of service, and no issue", (_status, instance) => {
    expect(partOf(["cart"], { one: instance })).toEqual({ services: [], issues: [] });
  });

  test("ignored metadata do not become labels", () => {
    const { services } = partOf(["cart"], { one: spring }, { ignoredLabels: ["weight", "instance_status"] });
    expect(services[0]?.instances[0]?.labels).toEqual({ zone: "a" });
  });

  test.each([
    ["{ broken", "contains no JSON object"],
    [{ port: 1 }, "has no address"],
    [{ address: "10.0.0.7", port: null }, "has neither a port nor an sslPort"],
  ])("with %j is skipped, and named by its node", (instance, problem) => {
    const { services, issues } = partOf(["cart"], { bad: instance, good: spring });
    expect(services[0]?.instances).toHaveLength(1);
    expect(issues).toMatchObject([{ message: `/services/cart/bad ${problem}; it is ignored` }]);
  });
});

test("the hostname of a service is its name in lower case, with dashes for slashes and underscores", () => {
  const { services } = partOf(["Shop", "My_Cart"], { one: spring }, { hostSuffix: ".spring" });
  expect(services).toMatchObject([
    { name: "shop-my-cart", hostname: "shop-my-cart.spring", reference: "/services/Shop/My_Cart" },
  ]);
});

test("no node data make the reader throw", () => {
  const field = fc.oneof(fc.jsonValue(), fc.constantFrom("10.0.0.7", 8080, { metadata: { instance_status: 7 } }));
  const instance = fc.record({ address: field, port: field, sslPort: field, payload: field, enabled: field });
  const property = fc.property(fc.oneof(instance, fc.jsonValue(), fc.string()), (data) => {
    const { services, issues = [] } = partOf(["cart"], { one: data });
    expect(services.length + issues.length).toBeLessThanOrEqual(1);
  });
  fc.assert(property, { seed, numRuns: runs(300) });
});
