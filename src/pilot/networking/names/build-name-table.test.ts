import { describe, expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fakeEndpoint, fakeService } from "../../../testing/model/fake-service.ts";
import { pushOf } from "../../../testing/model/push.ts";
import type { Endpoint, Service } from "../../model/service/service.ts";
import { buildNameTable } from "./build-name-table.ts";

const here = { clusterId: "c1", network: "n1" };
const headless: Partial<Service> = { resolution: "passthrough", addresses: [] };

function build(service: Partial<Service>, endpoints: readonly Partial<Endpoint>[] = []) {
  const named = fakeService(service);
  const { hostname, namespace } = named;
  const push = pushOf({
    services: [named],
    endpoints: [{ hostname, namespace, endpoints: endpoints.map((one) => fakeEndpoint(one)), owners: [] }],
  });
  return buildNameTable([named], here, push, new ProtoWriter());
}

function tableOf(service: Partial<Service>, endpoints: readonly Partial<Endpoint>[] = []) {
  return decodedResource(build(service, endpoints))["table"] ?? {};
}

describe("the name table", () => {
  test("maps a hostname to the addresses of its service, without subnets", () => {
    const addresses = ["10.9.0.1", "10.9.1.0/24", "2001:db8::1"];
    expect(tableOf({ addresses })).toEqual({
      "cart.shop": { ips: ["10.9.0.1", "2001:db8::1"], registry: "External" },
    });
  });

  test("has no entry for a service without an address", () => {
    expect(tableOf({ resolution: "dns", addresses: [] }, [{ address: "10.0.0.1" }])).toEqual({});
    expect(tableOf({ addresses: ["10.9.1.0/24"] })).toEqual({});
    expect(tableOf(headless)).toEqual({});
  });

  test("has the short name and namespace of a Kubernetes service", () => {
    const hostname = "cart.shop.svc.cluster.local";
    expect(tableOf({ hostname, addresses: ["10.9.0.1"], registry: "Kubernetes" })).toEqual({
      [hostname]: { ips: ["10.9.0.1"], registry: "Kubernetes", shortname: "cart", namespace: "shop" },
    });
  });

  test("maps a headless service to its endpoints, each once", () => {
    const twice = { address: "10.0.0.1" };
    expect(tableOf(headless, [twice, { ...twice, port: 81 }, { address: "10.0.0.2" }])).toEqual({
      "cart.shop": { ips: ["10.0.0.1", "10.0.0.2"], registry: "External" },
    });
  });

  test("maps a pod name of a headless Kubernetes service to its pod", () => {
    const service = { ...headless, hostname: "db.shop.svc.cluster.local", registry: "Kubernetes" } as const;
    const pods = [
      { address: "10.0.0.1", podName: "db-0.db" },
      { address: "10.0.0.2", podName: "db-1.db", clusterId: "c2" },
      { address: "10.0.0.3", podName: "db-2.db", network: "n2" },
    ];
    const common = { registry: "Kubernetes", namespace: "shop" };
    expect(tableOf(service, pods)).toEqual({
      "db.shop.svc.cluster.local": { ips: ["10.0.0.1"], shortname: "db", ...common },
      "db-0.db.shop.svc.cluster.local": { ips: ["10.0.0.1"], shortname: "db-0.db", ...common },
      "db-1.db.shop.svc.cluster.local": { ips: ["10.0.0.2"], shortname: "db-1.db", ...common },
    });
  });

  test.each<[string, Partial<Endpoint>]>([
    ["is unhealthy", { health: "unhealthy" }],
    ["is terminating", { health: "terminating" }],
    ["is in another cluster", { clusterId: "c2" }],
    ["is in another network", { network: "n2" }],
    ["serves another port", { servicePortName: "other" }],
    ["has a name", { address: "cart.example.com" }],
  ])("skips an endpoint that %s", (_, changes) => {
    expect(tableOf(headless, [changes])).toEqual({});
  });

  test("is one resource without a name, owned by the owners of its names", () => {
    expect(build({ addresses: ["10.9.0.1"] })).toMatchObject({
      name: "",
      owners: [configId("ServiceEntry", "shop", "cart")],
    });
    expect(build({}).owners).toEqual([]);
  });
});
