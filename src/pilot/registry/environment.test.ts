import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "vitest";
import { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { DestinationRuleSchema } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { GatewaySchema } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import { ServiceEntry_Resolution, ServiceEntrySchema } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { WorkloadSelectorSchema } from "#gen/istio/networking/v1alpha3/sidecar_pb.js";
import { VirtualServiceSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { WorkloadEntrySchema } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import { Graph } from "../../collection/graph.ts";
import { type Config, configId, configKey } from "../../config/config.ts";
import { meshServices } from "../../config/mesh/mesh-service.ts";
import { compareTexts } from "../../lib/compare.ts";
import { clusterEndpoint, clusterService } from "../../testing/config/fake-cluster-service.ts";
import { configOf } from "../../testing/config/fake-config.ts";
import type { PushRequest } from "../model/push-request.ts";
import type { Environment } from "./environment.ts";
import { buildEnvironment } from "./environment.ts";
import { pushRequestFor } from "./push-request-for.ts";

let graph: Graph;
let environment: Environment;

beforeEach(() => {
  graph = new Graph();
  environment = buildEnvironment(graph, { domain: "cluster.local", clusterId: "c1" });
});

function input(collection: string) {
  const found = environment.inputs.get(`istio/${collection}`);
  if (found === undefined) throw new Error(`no input ${collection}`);
  return found;
}

function put(collection: string, config: Config): void {
  input(collection).set(configKey(config), config);
}

/** The ids that the callback changed, sorted. */
function changedBy(work: () => void): readonly string[] {
  return idsOf(requestOf(work)).toSorted(compareTexts);
}

function requestOf(work: () => void): PushRequest | undefined {
  const commit = graph.batch(work);
  return commit === undefined ? undefined : pushRequestFor(commit, environment, 5);
}

function idsOf(request: PushRequest | undefined): readonly string[] {
  return [...(request?.changed ?? [])];
}

/** `address:port` of the endpoints of cart.shop. */
function addresses(): readonly string[] | undefined {
  return environment.endpoints.get("shop/cart.shop")?.endpoints.map(({ address, port }) => `${address}:${port}`);
}

function rule(name: string, createdAt: number, spec: MessageInitShape<typeof DestinationRuleSchema>): Config {
  const message = create(DestinationRuleSchema, { host: "cart.shop", ...spec });
  return configOf<unknown>("DestinationRule", name, message, { createdAt });
}

const defaultPorts = [{ number: 80, name: "http", protocol: "HTTP", targetPort: 8080 }];

function entry(name: string, spec: MessageInitShape<typeof ServiceEntrySchema>, changes: Partial<Config> = {}): Config {
  const message = create(ServiceEntrySchema, {
    hosts: spec.hosts ?? ["cart.shop"],
    addresses: spec.addresses ?? [],
    ports: spec.ports ?? defaultPorts,
    resolution: spec.resolution ?? ServiceEntry_Resolution.STATIC,
    endpoints: spec.endpoints ?? [],
    subjectAltNames: spec.subjectAltNames ?? [],
  });
  if (spec.workloadSelector !== undefined)
    message.workloadSelector = create(WorkloadSelectorSchema, spec.workloadSelector);
  return configOf<unknown>("ServiceEntry", name, message, changes);
}

function workload(name: string, spec: MessageInitShape<typeof WorkloadEntrySchema>): Config {
  return configOf("WorkloadEntry", name, create(WorkloadEntrySchema, spec));
}

const entries = "networking/v1alpha3/serviceentries";
const workloads = "networking/v1alpha3/workloadentries";

describe("services", () => {
  test("one per host, visible as the entry sets, else as the mesh sets", () => {
    put(
      "mesh/v1alpha1/MeshConfig",
      configOf("MeshConfig", "mesh", create(MeshConfigSchema, { defaultServiceExportTo: ["."] })),
    );
    put(entries, entry("cart", { hosts: ["cart.shop", "basket.shop"], addresses: ["10.0.0.1/32", "10.1.0.0/16"] }));
    const service = environment.services.get("shop/cart.shop");
    expect(service).toMatchObject({ exportTo: ["."], addresses: ["10.0.0.1", "10.1.0.0/16"], registry: "External" });
    expect(environment.services.get("shop/basket.shop")?.owner).toBe("ServiceEntry/shop/cart");
  });

  test("entries for one host add their ports if they describe the same kind of service", () => {
    const more = [{ number: 81, name: "more", protocol: "grpc" }];
    put(entries, entry("a", {}));
    put(entries, entry("b", { ports: more }));
    put(entries, entry("c", { ports: [{ number: 82 }], resolution: ServiceEntry_Resolution.DNS }));
    expect(environment.services.get("shop/cart.shop")?.ports).toEqual([
      { number: 80, name: "http", protocol: "HTTP", targetPort: 8080 },
      { number: 81, name: "more", protocol: "GRPC", targetPort: 81 },
    ]);
  });

  test("entries for one host add their certificate SANs", () => {
    put(entries, entry("a", { subjectAltNames: ["a.net"] }));
    put(entries, entry("b", { subjectAltNames: ["b.net", "a.net"] }));
    expect(environment.services.get("shop/cart.shop")?.subjectAltNames).toEqual(["a.net", "b.net"]);
  });

  test("a Kubernetes Service takes precedence over an older entry", () => {
    put(entries, entry("old", {}, { createdAt: 1 }));
    const registered = clusterService({ hostname: "cart.shop" });
    environment.inputs.get(meshServices)?.set(configKey(registered), registered);
    expect(environment.services.get("shop/cart.shop")).toMatchObject({ registry: "Kubernetes", createdAt: 2 });
  });
});

describe("endpoints", () => {
  test("written inline take the entry's port names, then the target port", () => {
    put(entries, entry("cart", { endpoints: [{ address: "10.0.0.2", ports: { http: 9 } }, { address: "10.0.0.1" }] }));
    expect(addresses()).toEqual(["10.0.0.1:8080", "10.0.0.2:9"]);
  });

  test("are the workloads that the selector selects, as they come and go", () => {
    const selector = { labels: { app: "cart", tier: "web" } };
    put(entries, entry("cart", { workloadSelector: selector }));
    put(workloads, workload("one", { address: "10.0.0.1", labels: { app: "cart", tier: "web", v: "1" } }));
    put(workloads, workload("two", { address: "10.0.0.2", labels: { app: "cart" } }));
    expect(addresses()).toEqual(["10.0.0.1:8080"]);
    expect(environment.endpoints.get("shop/cart.shop")?.owners).toEqual(["WorkloadEntry/shop/one"]);
    input(workloads).delete("shop/one");
    expect(addresses()).toEqual([]);
  });

  describe("of a Kubernetes Service", () => {
    const selector = { app: "cart" };
    const ports = [
      { name: "http", number: 80, protocol: "HTTP", targetPort: 8080, nodePort: 0 },
      { name: "admin", number: 90, protocol: "HTTP", targetPort: "console", nodePort: 0 },
    ];

    function register(spec: Parameters<typeof clusterService>[0]): void {
      const registered = clusterService({ ports, selector, ...spec });
      environment.inputs.get(meshServices)?.set(configKey(registered), registered);
    }

    test("are its pods and the WorkloadEntries that it selects, as they come and go", () => {
      register({ endpoints: [clusterEndpoint("10.0.0.9")] });
      put(workloads, workload("one", { address: "10.0.0.1", labels: { app: "cart", v: "1" } }));
      put(workloads, workload("two", { address: "10.0.0.2", labels: { app: "other" } }));
      expect(addresses()).toEqual(["10.0.0.1:8080", "10.0.0.9:8080"]);
      expect(environment.endpoints.get("shop/cart.shop")).toMatchObject({
        owners: ["Service/shop/cart", "WorkloadEntry/shop/one"],
        endpoints: [{ servicePortName: "http", workloadName: "one", labels: { v: "1" } }, {}],
      });
      expect(changedBy(() => input(workloads).delete("shop/one"))).toContain("Endpoints/shop/cart.shop");
      expect(addresses()).toEqual(["10.0.0.9:8080"]);
    });

    test("use the port of an entry with the name of the target port, else of the service port", () => {
      register({});
      put(workloads, workload("one", { address: "10.0.0.1", labels: selector, ports: { console: 9, admin: 1 } }));
      put(workloads, workload("two", { address: "10.0.0.2", labels: selector, ports: { http: 7 } }));
      expect(addresses()).toEqual(["10.0.0.1:9", "10.0.0.1:8080", "10.0.0.2:7"]);
    });

    test("exclude entries of other namespaces, and entries with a DNS name or a Unix socket", () => {
      register({});
      put(workloads, { ...workload("far", { address: "10.0.0.1", labels: selector }), namespace: "web" });
      put(workloads, workload("named", { address: "cart.example.com", labels: selector }));
      put(workloads, workload("socket", { address: "unix:///tmp/s", labels: selector }));
      expect(addresses()).toEqual([]);
    });

    test.each<[string, Parameters<typeof clusterService>[0]]>([
      ["selects nothing", { selector: {} }],
      ["is headless", { access: { type: "headless" } }],
    ])("are no entries where it %s", (_, spec) => {
      register(spec);
      put(workloads, workload("one", { address: "10.0.0.1", labels: selector }));
      expect(addresses()).toEqual([]);
    });
  });

  test("are counted once per address of the service", () => {
    put(entries, entry("cart", { addresses: ["10.9.0.1", "10.9.0.2"], endpoints: [{ address: "10.0.0.1" }] }));
    expect(addresses()).toEqual(["10.0.0.1:8080", "10.0.0.1:8080"]);
  });

  test.each([
    [{ serviceAccount: "cart" }, "istio"],
    [{}, "disabled"],
    [{ serviceAccount: "cart", labels: { "security.istio.io/tlsMode": "disabled" } }, "disabled"],
    [{ labels: { "security.istio.io/tlsMode": "istio" } }, "istio"],
  ])("of %j speak TLS mode %s", (spec, tlsMode) => {
    put(entries, entry("cart", { endpoints: [{ address: "10.0.0.1", ...spec }] }));
    expect(environment.endpoints.get("shop/cart.shop")?.endpoints[0]?.tlsMode).toBe(tlsMode);
  });

  test("of a hostname resolved by DNS are the hostname itself, and only one where Envoy accepts only one", () => {
    put(entries, entry("cart", { resolution: ServiceEntry_Resolution.DNS }));
    expect(addresses()).toEqual(["cart.shop:8080"]);
    const endpoints = [{ address: "a.net" }, { address: "b.net" }];
    put(entries, entry("cart", { resolution: ServiceEntry_Resolution.DNS_ROUND_ROBIN, endpoints }));
    expect(addresses()).toEqual(["a.net:8080"]);
    const annotations = { "istio.io/connect-strategy": "RACE_FIRST_TCP_CONNECT" };
    put(entries, entry("cart", { resolution: ServiceEntry_Resolution.DNS, endpoints }, { annotations }));
    expect(addresses()).toEqual(["a.net:8080"]);
    expect(environment.services.get("shop/cart.shop")?.racesAddresses).toBe(true);
  });

  test("on a Unix socket have no port", () => {
    put(entries, entry("cart", { endpoints: [{ address: "unix:///tmp/s" }] }));
    expect(addresses()).toEqual(["unix:///tmp/s:0"]);
  });
});

test("names are resolved: short hosts, destinations and gateways", () => {
  const spec = create(VirtualServiceSchema, {
    hosts: ["cart"],
    gateways: ["edge", "mesh"],
    http: [{ route: [{ destination: { host: "pay" } }], match: [{ gateways: ["./edge"] }] }],
  });
  put("networking/v1alpha3/virtualservices", configOf("VirtualService", "cart", spec));
  const virtualService = environment.virtualServices.get("shop/cart");
  expect(virtualService).toMatchObject({
    hosts: ["cart.shop.svc.cluster.local"],
    gateways: ["shop/edge", "mesh"],
    http: [
      {
        matches: [{ gateways: ["shop/edge"] }],
        action: { destinations: [{ hostname: "pay.shop.svc.cluster.local" }] },
      },
    ],
  });
  expect(environment.virtualServicesByGateway.get("shop/edge")).toEqual([virtualService]);
});

test("rules for one host are merged and the oldest decides; rules with another exportTo stay separate", () => {
  const rules = "networking/v1alpha3/destinationrules";
  put(rules, rule("young", 2, { subsets: [{ name: "v1", labels: { v: "9" } }, { name: "v2" }], trafficPolicy: {} }));
  put(rules, rule("old", 1, { subsets: [{ name: "v1", labels: { v: "1" } }] }));
  put(rules, rule("private", 3, { exportTo: ["."] }));
  const merged = environment.hostRules.get("shop/cart.shop")?.rules ?? [];
  expect(merged.map(({ name, owners }) => [name, owners.length])).toEqual([
    ["old", 2],
    ["private", 1],
  ]);
  expect(merged[0]?.subsets.map(({ name, labels }) => [name, labels["v"]])).toEqual([
    ["v1", "1"],
    ["v2", undefined],
  ]);
  expect(merged[0]?.trafficPolicy).toBeDefined();
});

describe("VirtualServices made from old Ingresses", () => {
  test("are bound to every gateway made from an Ingress, also when these gateways change", () => {
    const virtualService = create(VirtualServiceSchema, {
      hosts: ["a.example"],
      gateways: ["istio-autogenerated-k8s-ingress"],
    });
    const inSystem = { namespace: "istio-system" };
    const gateway = (name: string) => configOf("Gateway", name, create(GatewaySchema), inSystem);
    put("networking/v1alpha3/virtualservices", configOf("VirtualService", "a", virtualService, inSystem));
    expect(environment.virtualServices.get("istio-system/a")?.gateways).toEqual([]);
    put("networking/v1alpha3/gateways", gateway("one-istio-autogenerated-k8s-ingress"));
    put("networking/v1alpha3/gateways", gateway("a-istio-autogenerated-k8s-ingress-ns"));
    expect(environment.virtualServices.get("istio-system/a")?.gateways).toEqual([
      "istio-system/one-istio-autogenerated-k8s-ingress",
    ]);
    input("networking/v1alpha3/gateways").delete("istio-system/one-istio-autogenerated-k8s-ingress");
    expect(environment.virtualServices.get("istio-system/a")?.gateways).toEqual([]);
  });
});

describe("the push request of a commit contains", () => {
  test("a new service and its endpoints", () => {
    const request = requestOf(() => put(entries, entry("cart", { endpoints: [{ address: "10.0.0.1" }] })));
    expect(idsOf(request)).toEqual(["Service/shop/cart.shop", "Endpoints/shop/cart.shop", "Instance//10.0.0.1"]);
    expect(request).toMatchObject({ forced: false, startedAt: 5 });
  });

  test("only endpoints when nothing else changed", () => {
    put(entries, entry("cart", { endpoints: [{ address: "10.0.0.1" }] }));
    const request = requestOf(() => put(entries, entry("cart", { endpoints: [{ address: "10.0.0.2" }] })));
    expect(idsOf(request)).toEqual(["Endpoints/shop/cart.shop", "Instance//10.0.0.1", "Instance//10.0.0.2"]);
    expect(request?.reasons).toEqual(new Map([["endpoint", 3]]));
  });

  test("the service too when its peers change, since clusters contain their SANs", () => {
    const one = { address: "10.0.0.1", serviceAccount: "cart" };
    put(entries, entry("cart", { endpoints: [one] }));
    const more = [one, { address: "10.0.0.2", serviceAccount: "cart" }];
    expect(changedBy(() => put(entries, entry("cart", { endpoints: more })))).not.toContain("Service/shop/cart.shop");
    const other = [one, { address: "10.0.0.2", serviceAccount: "canary" }];
    expect(changedBy(() => put(entries, entry("cart", { endpoints: other })))).toContain("Service/shop/cart.shop");
  });

  test("the service too when Envoy resolves the endpoints, since they are part of the cluster", () => {
    const resolution = ServiceEntry_Resolution.DNS;
    put(entries, entry("cart", { resolution, endpoints: [{ address: "a.net" }] }));
    const ids = changedBy(() => put(entries, entry("cart", { resolution, endpoints: [{ address: "b.net" }] })));
    expect(ids).toEqual(["Endpoints/shop/cart.shop", "Instance//a.net", "Instance//b.net", "Service/shop/cart.shop"]);
  });

  test("nothing when an object only moved in its file, and its origin is the new line", () => {
    put(entries, entry("cart", {}));
    const moved = { source: "test", reference: "test.yaml:9", locate: () => undefined };
    expect(requestOf(() => put(entries, entry("cart", {}, { origin: moved })))).toBeUndefined();
    expect(environment.originOf(configId("ServiceEntry", "shop", "cart"))).toBe(moved);
    expect(environment.originOf(configId("ServiceEntry", "shop", "nobody"))).toBeUndefined();
  });

  test("a deleted gateway", () => {
    put("networking/v1alpha3/gateways", configOf("Gateway", "edge", create(GatewaySchema, {})));
    const ids = changedBy(() => input("networking/v1alpha3/gateways").delete("shop/edge"));
    expect(ids).toEqual(["Gateway/shop/edge"]);
  });

  test("everything when the mesh settings changed", () => {
    const spec = create(MeshConfigSchema, { rootNamespace: "r" });
    const request = requestOf(() => put("mesh/v1alpha1/MeshConfig", configOf("MeshConfig", "mesh", spec)));
    expect(request).toMatchObject({ forced: true, reasons: new Map([["global", 1]]) });
  });
});
