import { expect, test } from "vitest";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../../testing/envoy/decoded-resource.ts";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { fakePolicy, fakePool } from "../../../../testing/model/fake-traffic-policy.ts";
import { fakeRule } from "../../../../testing/model/traffic.ts";
import { defaultMeshSettings } from "../../../model/mesh-settings.ts";
import { buildInboundCluster, type InboundClusterInputs, type InboundDestination } from "./build-inbound-cluster.ts";

const usual: InboundClusterInputs = {
  port: 8080,
  servicePort: 80,
  protocol: "HTTP",
  destination: { type: "original" },
  services: [fakeService()],
  rule: undefined,
  pool: undefined,
  families: "v4",
  mesh: defaultMeshSettings,
};
const writer = new ProtoWriter();

function jsonOf(changes: Partial<InboundClusterInputs> = {}) {
  return decodedResource(buildInboundCluster({ ...usual, ...changes }, writer));
}

function addressed(address: string): InboundDestination {
  return { type: "address", address, port: 9 };
}

test.each<[InboundDestination, string, boolean]>([
  [{ type: "original" }, "ORIGINAL_DST", true],
  [addressed("127.0.0.1"), "STATIC", false],
  [addressed("::1"), "STATIC", false],
  [addressed("10.0.0.1"), "STATIC", true],
  [{ type: "pipe", path: "/run/app" }, "STATIC", true],
])("a cluster to %j has type %s, and binds an address against redirection: %s", (destination, type, binds) => {
  const json = jsonOf({ destination });
  expect(json["type"]).toBe(type);
  expect("upstreamBindConfig" in json).toBe(binds);
  expect("cleanupInterval" in json).toBe(destination.type === "original");
});

function endpointAt(address: object) {
  return { endpoint: { address } };
}

test("a fixed destination is the only endpoint", () => {
  expect(jsonOf({ destination: addressed("10.0.0.1") })["loadAssignment"]).toEqual({
    clusterName: "inbound|8080||",
    endpoints: [{ lbEndpoints: [endpointAt({ socketAddress: { address: "10.0.0.1", portValue: 9 } })] }],
  });
  expect(jsonOf({ destination: { type: "pipe", path: "/run/app" } })["loadAssignment"]).toMatchObject({
    endpoints: [{ lbEndpoints: [endpointAt({ pipe: { path: "/run/app" } })] }],
  });
});

test("HTTP keeps its version if the protocol is unknown, and is never upgraded", () => {
  expect(JSON.stringify(jsonOf({ protocol: "auto" }))).toContain("useDownstreamProtocolConfig");
  const pool = fakePool({ h2Upgrade: "always" });
  expect(jsonOf({ pool })).not.toHaveProperty("typedExtensionProtocolOptions");
});

test("a cluster names the services it serves and the rule that limits them", () => {
  const rule = fakeRule({ trafficPolicy: fakePolicy() });
  const services = [fakeService(), fakeService({ hostname: "pay.shop" })];
  expect(jsonOf({ services, rule })["metadata"]).toMatchObject({
    filterMetadata: {
      istio: {
        services: [{ host: "cart.shop" }, { host: "pay.shop" }],
        config: "/apis/networking.istio.io/v1/namespaces/shop/destination-rule/cart",
      },
    },
  });
  expect(jsonOf({ services: [] })).not.toHaveProperty("metadata");
});

test("a cluster is shared by all replicas with the same limits", () => {
  const first = buildInboundCluster(usual, writer);
  expect(buildInboundCluster({ ...usual, destination: { type: "original" } }, writer)).toBe(first);
  expect(buildInboundCluster({ ...usual, pool: fakePool({ maxConnections: 1 }) }, writer)).not.toBe(first);
});

test("connections to a dual-stack workload may start from either family", () => {
  expect(jsonOf({ families: "dual" })["upstreamBindConfig"]).toEqual({
    sourceAddress: { address: "127.0.0.6", portValue: 0 },
    extraSourceAddresses: [{ address: { address: "::6", portValue: 0 } }],
  });
});

test("statistics have the name that the mesh sets", () => {
  const mesh = { ...defaultMeshSettings, inboundStatName: "%SERVICE_FQDN%_%SERVICE_PORT_NAME%_%TARGET_PORT%" };
  expect(jsonOf({ mesh })).toMatchObject({ altStatName: "cart.shop_http_8080;" });
});
