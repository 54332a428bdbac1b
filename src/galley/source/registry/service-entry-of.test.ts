import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ServiceEntrySchema } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { InstanceSelector } from "./instance-selector.ts";
import type { RegistryInstance, RegistryService } from "./registry-service.ts";
import { serviceEntryOf, withoutEndpoints } from "./service-entry-of.ts";

const http = (number: number) => ({ number, protocol: "HTTP" });

function instance(address: string, port: number, more: Partial<RegistryInstance> = {}): RegistryInstance {
  return { id: `${address}:${port}`, address, ports: [http(port)], labels: {}, ...more };
}

function service(instances: readonly RegistryInstance[], more: Partial<RegistryService> = {}): RegistryService {
  return { name: "cart", namespace: "shop", hostname: "cart.shop", reference: "app CART", instances, ...more };
}

function specOf(listed: RegistryService): unknown {
  const { config } = serviceEntryOf(listed, { source: "test" });
  return config && toJson(ServiceEntrySchema, config.spec);
}

const selector: InstanceSelector = (_hostname, { labels }) => labels["env"] === "prod";

function versionOf(listed: RegistryService): string | undefined {
  return serviceEntryOf(listed, { source: "test" }).config?.version;
}

describe("a service of a registry as a ServiceEntry", () => {
  test("is static and within the mesh, with the ports of its instances", () => {
    expect(specOf(service([instance("10.0.0.2", 8080), instance("10.0.0.1", 8080)]))).toEqual({
      hosts: ["cart.shop"],
      ports: [{ number: 8080, protocol: "HTTP", name: "http-8080" }],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      endpoints: [
        { address: "10.0.0.1", ports: { "http-8080": 8080 } },
        { address: "10.0.0.2", ports: { "http-8080": 8080 } },
      ],
    });
  });

  test("has the union of all ports, and every endpoint maps each of them", () => {
    const ports = [http(8080), { number: 8443, protocol: "HTTPS" }];
    const listed = service([instance("10.0.0.1", 8081, { ports }), instance("10.0.0.2", 9090)], { ports: [http(80)] });
    expect(specOf(listed)).toMatchObject({
      ports: [{ number: 80 }, { number: 8080 }, { number: 8443 }, { number: 9090 }],
      endpoints: [
        { ports: { "http-80": 8080, "http-8080": 8080, "https-8443": 8443, "http-9090": 8080 } },
        { ports: { "http-80": 9090, "http-8080": 9090, "https-8443": 9090, "http-9090": 9090 } },
      ],
    });
  });

  test("may have only its own ports", () => {
    const listed = service([instance("10.0.0.1", 8080)], { ports: [http(80)], instancePorts: false });
    expect(specOf(listed)).toMatchObject({ ports: [{ number: 80 }], endpoints: [{ ports: { "http-80": 8080 } }] });
  });

  test("uses DNS resolution as soon as one address is a name", () => {
    const listed = service([instance("10.0.0.1", 80), instance("vm.shop", 80)]);
    expect(specOf(listed)).toMatchObject({ resolution: "DNS" });
  });

  test("has the same version in any order of the listing", () => {
    const [one, two] = [instance("10.0.0.1", 8080, { labels: { a: "1", b: "2" } }), instance("10.0.0.2", 9090)];
    const other = { ...one, labels: { b: "2", a: "1" } };
    expect(versionOf(service([one, two]))).toBe(versionOf(service([two, other])));
    expect(versionOf(service([one, two]))).not.toBe(versionOf(service([one])));
  });

  test("has one endpoint for each address and port, the first by id", () => {
    const twice = [
      instance("10.0.0.1", 80, { id: "b", labels: { from: "b" } }),
      instance("10.0.0.1", 80, { id: "a", labels: { from: "a" } }),
      instance("10.0.0.1", 81),
    ];
    expect(specOf(service(twice))).toMatchObject({ endpoints: [{ labels: { from: "a" } }, {}] });
  });

  test("has only the selected instances", () => {
    const listed = service([instance("10.0.0.1", 80, { labels: { env: "prod" } }), instance("10.0.0.2", 80)]);
    const { config } = serviceEntryOf(listed, { source: "test", selector });
    expect(config?.spec.endpoints.map(({ address }) => address)).toEqual(["10.0.0.1"]);
  });

  test("skips instances that cannot be endpoints, and names them", () => {
    const listed = service([instance("10.0.0.1", 80), instance("no address", 80), instance("10.0.0.2", 70_000)]);
    const { config, issues } = serviceEntryOf(listed, { source: "test" });
    expect(config?.spec.endpoints).toHaveLength(1);
    expect(issues.map(({ object, message }) => `${object}: ${message}`)).toEqual([
      "ServiceEntry shop/cart: instance 10.0.0.2:70000 has port 70000, which is not between 1 and 65535; it is ignored",
      'ServiceEntry shop/cart: instance no address:80 is at "no address", which is neither an IP address nor a name; it is ignored',
    ]);
  });

  test("uses the first protocol if instances disagree about a port, and reports the conflict", () => {
    const listed = service([
      instance("10.0.0.1", 80),
      instance("10.0.0.2", 80, { ports: [{ number: 80, protocol: "TCP" }] }),
    ]);
    const { config, issues } = serviceEntryOf(listed, { source: "test" });
    expect(config?.spec.ports.map(({ name }) => name)).toEqual(["http-80"]);
    expect(issues).toMatchObject([{ code: "ambiguous-port", message: expect.stringContaining("HTTP is used") }]);
  });

  test("is not created from invalid names", () => {
    const listed = service([instance("10.0.0.1", 80)], { name: "a:b", hostname: "a:b" });
    const { config, issues } = serviceEntryOf(listed, { source: "test" });
    expect(config).toBeUndefined();
    expect(issues.map(({ code }) => code)).toEqual(["bad-name", "bad-host"]);
  });

  test("has its origin", () => {
    const { config } = serviceEntryOf(service([instance("10.0.0.1", 80)]), { source: "test" });
    expect(config?.origin).toMatchObject({ source: "test", reference: "app CART" });
  });

  test("keeps its ports without endpoints, and does not fall back to DNS", () => {
    const { config } = serviceEntryOf(service([instance("vm.shop", 80)]), { source: "test" });
    const emptied = config && withoutEndpoints(config);
    expect(emptied && toJson(ServiceEntrySchema, emptied.spec)).toMatchObject({
      ports: [{ number: 80 }],
      resolution: "STATIC",
    });
    expect(emptied?.spec.endpoints).toEqual([]);
    expect(emptied?.version).not.toBe(config?.version);
  });
});
