import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer.ts";
import { fakeBalancer, fakePolicy, fakePool } from "../../../testing/cluster-client.ts";
import { fakeEndpoint, fakeRule, fakeService } from "../../../testing/mesh-views.ts";
import { resourceJson } from "../../../testing/resource-json.ts";
import { defaultMeshSettings as mesh } from "../../model/mesh-settings.ts";
import type { Endpoint } from "../../model/service.ts";
import { buildGrpcCluster, emptyGrpcCluster, type GrpcClusterInputs } from "./build-grpc-cluster.ts";

const writer = new ProtoWriter();
const port = { number: 80, name: "http", protocol: "GRPC", targetPort: 80 } as const;

function inputs(changes: Partial<GrpcClusterInputs> = {}): GrpcClusterInputs {
  const absent = { rule: undefined, subset: undefined, peers: undefined, endpoints: undefined };
  return { ...absent, service: fakeService(), port, mesh, ...changes };
}

function endpointsAt(...addresses: readonly string[]) {
  const endpoints = addresses.map((address): Endpoint => fakeEndpoint({ address, port: 8080 }));
  return { hostname: "cart.shop", namespace: "shop", endpoints, owners: [] };
}

const pool = fakePool({ maxConnections: 1, maxPendingRequests: 2, maxRequests: 3, maxRetries: 4 });

test("a cluster says only what gRPC reads: where endpoints come from", () => {
  const cluster = buildGrpcCluster(inputs(), writer);
  expect(resourceJson(cluster)).toEqual({
    name: "outbound|80||cart.shop",
    type: "EDS",
    edsClusterConfig: {
      edsConfig: { ads: {}, initialFetchTimeout: "0s", resourceApiVersion: "V3" },
      serviceName: "outbound|80||cart.shop",
    },
  });
  expect(cluster.warmedBy).toBeUndefined();
});

test("the limit of requests is the only one gRPC knows, and round robin the only algorithm all clients know", () => {
  const trafficPolicy = fakePolicy({
    loadBalancer: fakeBalancer({ algorithm: "least-request" }),
    connectionPool: pool,
  });
  const cluster = resourceJson(buildGrpcCluster(inputs({ rule: fakeRule({ trafficPolicy }) }), writer));
  expect(cluster["circuitBreakers"]).toEqual({ thresholds: [{ maxRequests: 3 }] });
  expect(cluster["lbPolicy"] ?? "ROUND_ROBIN").toBe("ROUND_ROBIN");
});

test("a name that the client resolves stands in the cluster, and only one", () => {
  const service = fakeService({ resolution: "dns" });
  const endpoints = endpointsAt("unix:///run/cart", "cart.example.com", "cart.example.org");
  expect(resourceJson(buildGrpcCluster(inputs({ service, endpoints }), writer))).toMatchObject({
    type: "LOGICAL_DNS",
    loadAssignment: {
      endpoints: [
        {
          lbEndpoints: [{ endpoint: { address: { socketAddress: { address: "cart.example.com", portValue: 8080 } } } }],
        },
      ],
    },
  });
});

test("equal inputs are encoded once", () => {
  const same = inputs();
  expect(buildGrpcCluster(same, writer)).toBe(buildGrpcCluster({ ...same }, writer));
});

test("a cluster that nobody serves asks for endpoints like any other", () => {
  const served = resourceJson(buildGrpcCluster(inputs(), writer));
  expect(resourceJson(emptyGrpcCluster("outbound|80||cart.shop", writer))).toEqual(served);
});
