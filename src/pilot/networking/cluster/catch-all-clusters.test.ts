import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fakeClient } from "../../../testing/model/fake-cluster-client.ts";
import { fakePool } from "../../../testing/model/fake-traffic-policy.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { AddressFamilies } from "../../model/proxy/address-families.ts";
import { catchAllClusters } from "./catch-all-clusters.ts";
import type { ClusterClient } from "./cluster-client.ts";

function jsonOf(changes: Partial<ClusterClient> = {}, mesh = defaultMeshSettings) {
  return catchAllClusters(fakeClient(changes), mesh, new ProtoWriter()).map(decodedResource);
}

test("routers have no passthrough clusters", () => {
  expect(jsonOf({ type: "router" }).map(({ name }) => name)).toEqual(["BlackHoleCluster"]);
  expect(jsonOf().map(({ name }) => name)).toEqual([
    "BlackHoleCluster",
    "PassthroughCluster",
    "InboundPassthroughCluster",
  ]);
});

function bindings(families: AddressFamilies) {
  return jsonOf({ families })[2]?.["upstreamBindConfig"];
}

test("inbound passthrough binds an address of each family of the workload", () => {
  expect(bindings("v4")).toEqual({ sourceAddress: { address: "127.0.0.6", portValue: 0 } });
  expect(bindings("v6")).toEqual({ sourceAddress: { address: "::6", portValue: 0 } });
  expect(bindings("dual")).toEqual({
    sourceAddress: { address: "127.0.0.6", portValue: 0 },
    extraSourceAddresses: [{ address: { address: "::6", portValue: 0 } }],
  });
});

test("metadata exchange is outbound only, for proxies that support it", () => {
  const capabilities = { alpn: false, httpPeerMetadata: false, tcpMetadataExchange: true, stats: false };
  const exchanging = jsonOf({ capabilities }).map((cluster) => "filters" in cluster);
  expect(exchanging).toEqual([false, true, false]);
});

test("the mesh may set connection limits", () => {
  const mesh = { ...defaultMeshSettings, defaultConnectionPool: fakePool({ maxConnections: 9 }) };
  expect(jsonOf({}, mesh)[1]).toMatchObject({ circuitBreakers: { thresholds: [{ maxConnections: 9 }] } });
});
