import { describe, expect, test } from "vitest";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../../testing/envoy/decoded-resource.ts";
import { fakeAssignment } from "../../../../testing/model/assignment-inputs.ts";
import { fakeClient } from "../../../../testing/model/fake-cluster-client.ts";
import { fakeEndpoint, fakeService } from "../../../../testing/model/fake-service.ts";
import { fakeOutliers, fakePolicy, fakeTls } from "../../../../testing/model/fake-traffic-policy.ts";
import { fakeRule } from "../../../../testing/model/traffic.ts";
import { unknownLocation } from "../../../model/location/proxy-location.ts";
import { defaultMeshSettings } from "../../../model/mesh-settings.ts";
import type { AddressFamilies } from "../../../model/proxy/address-families.ts";
import type { Port, Service } from "../../../model/service/service.ts";
import type { TrafficPolicy } from "../../../model/traffic/destination-rule.ts";
import { buildOutboundCluster, type OutboundClusterInputs } from "./build-outbound-cluster.ts";

const port: Port = { number: 80, name: "http", protocol: "HTTP", targetPort: 80 };
const usual: OutboundClusterInputs = {
  ...fakeAssignment({ port }),
  client: fakeClient(),
  peers: undefined,
  mtls: "permissive",
};
const writer = new ProtoWriter();

function jsonOf(changes: Partial<OutboundClusterInputs> = {}) {
  const resource = buildOutboundCluster({ ...usual, ...changes }, writer);
  return resource === undefined ? undefined : decodedResource(resource);
}

function ruled(policy: Partial<TrafficPolicy>): Partial<OutboundClusterInputs> {
  return { rule: fakeRule({ trafficPolicy: fakePolicy(policy) }) };
}

describe("a cluster", () => {
  test("is built once for equal inputs, and anew for any that differs", () => {
    const first = buildOutboundCluster(usual, writer);
    expect(buildOutboundCluster({ ...usual, client: fakeClient() }, writer)).toBe(first);
    const peers = { hostname: "cart.shop", namespace: "shop", serviceAccounts: ["cart"], mutualPorts: [] };
    const others: readonly Partial<OutboundClusterInputs>[] = [
      { client: fakeClient({ type: "router" }) },
      { client: fakeClient({ certificates: { type: "agent" } }) },
      { peers },
      { rule: fakeRule() },
      { mesh: { ...defaultMeshSettings } },
    ];
    for (const other of others) expect(buildOutboundCluster({ ...usual, ...other }, writer)).not.toBe(first);
  });

  const elsewhere = { port: { ...port, targetPort: 8080 } };

  test("uses the target port of an entry for original destinations", () => {
    const through = fakeService({ resolution: "passthrough" });
    expect(jsonOf({ ...elsewhere, service: through })).toMatchObject({
      type: "ORIGINAL_DST",
      originalDstLbConfig: { upstreamPortOverride: 8080 },
    });
    const headless = { ...through, registry: "Kubernetes" } as const;
    expect(jsonOf({ ...elsewhere, service: headless })).not.toHaveProperty("originalDstLbConfig");
    expect(jsonOf({ ...elsewhere, service: fakeService() })).not.toHaveProperty("originalDstLbConfig");
  });

  test("follows the client's protocol on ports without a protocol, only for sidecars", () => {
    const auto: Port = { ...port, protocol: "auto" };
    const changes = { service: fakeService({ ports: [auto] }), port: auto };
    expect(JSON.stringify(jsonOf(changes))).toContain("useDownstreamProtocolConfig");
    const router = fakeClient({ type: "router" });
    expect(jsonOf({ ...changes, client: router })).not.toHaveProperty("typedExtensionProtocolOptions");
  });

  test("does not offer mesh ALPNs to servers outside the mesh", () => {
    const istio = jsonOf(ruled({ tls: fakeTls({ mode: "simple" }) }))?.["metadata"];
    expect(istio).toMatchObject({ filterMetadata: { istio: { alpn_override: "false" } } });
  });

  test("keeps sessions with terminating endpoints, if the service does", () => {
    const service = fakeService({ labels: { "istio.io/persistent-session": "cookie" } });
    expect(jsonOf({ service })).toMatchObject({
      commonLbConfig: { overrideHostStatus: { statuses: ["HEALTHY", "DRAINING", "UNKNOWN", "DEGRADED"] } },
    });
    expect(jsonOf({ service: fakeService() })).not.toHaveProperty("commonLbConfig.overrideHostStatus");
  });
});

describe("a wildcard whose hosts are resolved per request", () => {
  const service = fakeService({ hostname: "*.example.com", resolution: "dynamic-dns", meshExternal: true });

  test("is a forward proxy with a cache of its own", () => {
    expect(jsonOf({ service })).toMatchObject({
      lbPolicy: "CLUSTER_PROVIDED",
      clusterType: {
        name: "envoy.clusters.dynamic_forward_proxy",
        typedConfig: {
          dnsCacheConfig: { name: "*.example.com_dfp_dns_cache", dnsLookupFamily: "V4_ONLY" },
          allowInsecureClusterOptions: true,
        },
      },
    });
  });

  test("sets the SNI from each request", () => {
    const json = JSON.stringify(jsonOf({ service, ...ruled({ tls: fakeTls({ mode: "simple" }) }) }));
    expect(json).toContain('"autoSni":true');
    expect(json).not.toContain("allowInsecureClusterOptions");
  });

  test("has no subsets, and no cluster for protocols without a host", () => {
    const subset = { name: "v1", labels: {}, trafficPolicy: undefined };
    expect(jsonOf({ service, subset, rule: fakeRule({ subsets: [subset] }) })).toBeUndefined();
    expect(jsonOf({ service: { ...service }, port: { ...port, protocol: "TCP" } })).toBeUndefined();
  });
});

test("statistics have the name that the mesh sets", () => {
  const mesh = { ...defaultMeshSettings, outboundStatName: "%SERVICE_FQDN%_%SUBSET_NAME%_%SERVICE_PORT%" };
  expect(jsonOf({ mesh })).toMatchObject({ altStatName: "cart.shop__80;" });
});

test("retries are limited by a budget", () => {
  const retryBudget = { percent: 20, minRetryConcurrency: 3, interval: undefined };
  expect(jsonOf(ruled({ retryBudget }))).toHaveProperty("circuitBreakers.thresholds.0.retryBudget", {
    budgetPercent: { value: 20 },
    minRetryConcurrency: 3,
  });
});

test("a retry budget counts the requests of its interval", () => {
  const retryBudget = { percent: 20, minRetryConcurrency: 3, interval: { seconds: 10n, nanos: 0 } };
  expect(jsonOf(ruled({ retryBudget }))).toHaveProperty("circuitBreakers.thresholds.0.retryBudget", {
    budgetPercent: { value: 20 },
    minRetryConcurrency: 3,
    budgetInterval: "10s",
  });
});

test("a namespace that refuses mesh mTLS is called in plain text", () => {
  expect(jsonOf()).toHaveProperty("transportSocketMatches");
  expect(jsonOf({ mtls: "disable" })).not.toHaveProperty("transportSocketMatches");
});

test("the location of a client does not affect clusters that use EDS", () => {
  const location = { ...unknownLocation, locality: { region: "eu", zone: "a", subzone: "" } };
  expect(buildOutboundCluster({ ...usual, location }, writer)).toBe(buildOutboundCluster(usual, writer));
});

test("names that Envoy resolves fail over by locality like other endpoints", () => {
  const endpoints = [
    fakeEndpoint({ address: "a.example.com", locality: "eu/a" }),
    fakeEndpoint({ address: "b.example.com", locality: "us/b" }),
  ];
  const inputs = {
    service: fakeService({ resolution: "dns" }),
    endpoints: { hostname: "cart.shop", namespace: "shop", endpoints, owners: [] },
    ...ruled({ outlierDetection: fakeOutliers() }),
  };
  const priorities = (region: string) => {
    const location = { ...unknownLocation, locality: { region, zone: "", subzone: "" } };
    const json = jsonOf({ ...inputs, location })?.["loadAssignment"] as { endpoints: { priority?: number }[] };
    return json.endpoints.map(({ priority = 0 }) => priority);
  };
  expect(priorities("eu")).toEqual([0, 1]);
  expect(priorities("us")).toEqual([1, 0]);
});

describe("a cluster that requires impossible TLS", () => {
  test("has no endpoints with any discovery type, and needs no EDS", () => {
    const broken = ruled({ tls: fakeTls({ mode: "mutual" }) });
    for (const resolution of ["static", "passthrough", "dns"] as const) {
      const resource = buildOutboundCluster({ ...usual, ...broken, service: fakeService({ resolution }) }, writer);
      if (resource === undefined) throw new Error("there is a cluster");
      expect(resource.warmedBy).toBeUndefined();
      expect(resource.owners).toContain("DestinationRule/shop/cart");
      expect(decodedResource(resource)).toMatchObject({ name: "outbound|80||cart.shop", type: "STATIC" });
      expect(decodedResource(resource)).not.toHaveProperty("loadAssignment");
    }
  });
});

describe("a DNS cluster", () => {
  const endpoints = {
    hostname: "cart.shop",
    namespace: "shop",
    endpoints: [fakeEndpoint({ address: "cart.example.com", tlsMode: "istio" })],
    owners: [],
  };

  function named(service: Partial<Service>, families: AddressFamilies = "v4", policy = {}) {
    const client = fakeClient({ families });
    return jsonOf({ service: fakeService({ resolution: "dns", ...service }), endpoints, client, ...ruled(policy) });
  }

  test.each([
    ["v4", "V4_ONLY"],
    ["v6", "V6_ONLY"],
    ["dual", "V4_ONLY"],
  ] as const)("of a %s proxy looks up %s", (families, family) => {
    expect(named({}, families)?.["dnsLookupFamily"]).toBe(family);
  });

  test("looks up all addresses if it races them", () => {
    expect(named({ racesAddresses: true })).toMatchObject({ type: "LOGICAL_DNS", dnsLookupFamily: "ALL" });
  });

  test("resolves several names as STRICT_DNS, because LOGICAL_DNS has one name", () => {
    const both = { ...endpoints, endpoints: [...endpoints.endpoints, fakeEndpoint({ address: "b.example.com" })] };
    const service = fakeService({ resolution: "dns-round-robin" });
    expect(jsonOf({ service, endpoints })?.["type"]).toBe("LOGICAL_DNS");
    expect(jsonOf({ service, endpoints: both })?.["type"]).toBe("STRICT_DNS");
  });

  test("sets the TLS mode of its endpoints by the rule", () => {
    expect(JSON.stringify(named({})?.["loadAssignment"])).toContain("tlsMode");
    const plain = named({}, "v4", { tls: fakeTls({ mode: "disable" }) });
    expect(JSON.stringify(plain?.["loadAssignment"])).not.toContain("tlsMode");
  });

  test("does not exist without names", () => {
    expect(jsonOf({ service: fakeService({ resolution: "dns" }) })).toBeUndefined();
  });
});
