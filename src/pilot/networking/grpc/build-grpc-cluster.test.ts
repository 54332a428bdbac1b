import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fakeEndpoint, fakeService } from "../../../testing/model/fake-service.ts";
import { fakeBalancer, fakePolicy, fakePool, fakeTls } from "../../../testing/model/fake-traffic-policy.ts";
import { fakeRule } from "../../../testing/model/traffic.ts";
import { defaultMeshSettings as mesh } from "../../model/mesh-settings.ts";
import type { Endpoint } from "../../model/service/service.ts";
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

test("a cluster contains only what gRPC reads: the source of endpoints", () => {
  const cluster = buildGrpcCluster(inputs(), writer);
  expect(decodedResource(cluster)).toEqual({
    name: "outbound|80||cart.shop",
    type: "EDS",
    edsClusterConfig: {
      edsConfig: { ads: {}, initialFetchTimeout: "0s", resourceApiVersion: "V3" },
      serviceName: "outbound|80||cart.shop",
    },
  });
  expect(cluster.warmedBy).toBeUndefined();
});

test("a cluster limits requests only and uses round robin, which all gRPC clients support", () => {
  const trafficPolicy = fakePolicy({
    loadBalancer: fakeBalancer({ algorithm: "least-request" }),
    connectionPool: pool,
  });
  const cluster = decodedResource(buildGrpcCluster(inputs({ rule: fakeRule({ trafficPolicy }) }), writer));
  expect(cluster["circuitBreakers"]).toEqual({ thresholds: [{ maxRequests: 3 }] });
  expect(cluster["lbPolicy"] ?? "ROUND_ROBIN").toBe("ROUND_ROBIN");
});

test("the cluster contains the one name that the client resolves", () => {
  const service = fakeService({ resolution: "dns" });
  const endpoints = endpointsAt("unix:///run/cart", "cart.example.com", "cart.example.org");
  expect(decodedResource(buildGrpcCluster(inputs({ service, endpoints }), writer))).toMatchObject({
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

test("a cluster without a service uses EDS like any other", () => {
  const served = decodedResource(buildGrpcCluster(inputs(), writer));
  expect(decodedResource(emptyGrpcCluster("outbound|80||cart.shop", writer))).toEqual(served);
});

function hashed(algorithm: "ring-hash" | "maglev") {
  const loadBalancer = fakeBalancer({ consistentHash: { key: undefined, algorithm, size: 64 } });
  const rule = fakeRule({ trafficPolicy: fakePolicy({ loadBalancer }) });
  return decodedResource(buildGrpcCluster(inputs({ rule }), writer));
}

test("a cluster uses ring hash for every kind of consistent hash", () => {
  expect(hashed("ring-hash")).toMatchObject({ lbPolicy: "RING_HASH", ringHashLbConfig: { minimumRingSize: "64" } });
  expect(hashed("maglev")).toMatchObject({ lbPolicy: "RING_HASH" });
  expect(hashed("maglev")).not.toHaveProperty("ringHashLbConfig");
});

test("mesh mTLS is used when a rule sets it, with the certificate providers of the client's bootstrap", () => {
  const peers = { hostname: "cart.shop", namespace: "shop", serviceAccounts: ["cart"], mutualPorts: ["http"] };
  expect(decodedResource(buildGrpcCluster(inputs({ peers }), writer))).not.toHaveProperty("transportSocket");
  const rule = fakeRule({ trafficPolicy: fakePolicy({ tls: fakeTls({ mode: "istio-mutual" }) }) });
  const certificate = { instanceName: "default", certificateName: "default" };
  expect(decodedResource(buildGrpcCluster(inputs({ peers, rule }), writer))).toMatchObject({
    transportSocket: {
      typedConfig: {
        commonTlsContext: {
          tlsCertificateProviderInstance: certificate,
          combinedValidationContext: {
            defaultValidationContext: {
              matchSubjectAltNames: [{ exact: "spiffe://cluster.local/ns/shop/sa/cart" }],
              caCertificateProviderInstance: { instanceName: "default", certificateName: "ROOTCA" },
            },
          },
        },
      },
    },
  });
});

test("several IP addresses arrive as EDS endpoints, because the client need not resolve them", () => {
  const service = fakeService({ resolution: "dns" });
  const endpoints = endpointsAt("10.0.0.1", "10.0.0.2");
  expect(decodedResource(buildGrpcCluster(inputs({ service, endpoints }), writer))).toMatchObject({ type: "EDS" });
});
