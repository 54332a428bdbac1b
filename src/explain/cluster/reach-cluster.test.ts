import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type Cluster, Cluster_DiscoveryType as DiscoveryType } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { HealthStatus } from "#gen/envoy/config/core/v3/health_check_pb.js";
import { type ClusterLoadAssignment, ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ProxyProtocolUpstreamTransportSchema } from "#gen/envoy/extensions/transport_sockets/proxy_protocol/v3/upstream_proxy_protocol_pb.js";
import { RawBufferSchema } from "#gen/envoy/extensions/transport_sockets/raw_buffer/v3/raw_buffer_pb.js";
import { UpstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { assignmentOf, endpointAt, listenerOn, toyCluster, typed } from "../../testing/envoy/toy-envoy-config.ts";
import { explain } from "../explain.ts";
import type { Arrival } from "../listener/choose-listener.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import { reachCluster } from "./reach-cluster.ts";

const arrival: Arrival = { listener: listenerOn("0.0.0.0", 80), address: undefined, intercepted: true };
const request: SimulatedRequest = { host: "shop.example.com", port: 80, path: "/", method: "GET", headers: {} };

function reach(
  cluster: Cluster,
  endpoints: readonly ClusterLoadAssignment[] = [],
  from: Partial<Arrival & SimulatedRequest> = {},
) {
  const config = { listeners: [], routes: [], clusters: [cluster], endpoints };
  const target = { cluster: "a", share: 1 };
  const way = { arrival: { ...arrival, ...from }, request: { ...request, ...from }, routed: true, peerAt: undefined };
  return reachCluster(config, target, { ...way, follow: explain });
}

function addresses({ endpoints }: ReturnType<typeof reach>): readonly string[] {
  return endpoints.map(({ address }) => address);
}

describe("the endpoints of a cluster", () => {
  const ofA = assignmentOf("a", [endpointAt("10.0.0.2", 80), endpointAt("::1", 80)]);

  test("come from the load assignment with its name, or with its EDS service name", () => {
    expect(addresses(reach(toyCluster("a"), [ofA]))).toEqual(["10.0.0.2:80", "[::1]:80"]);
    const other = assignmentOf("b", [endpointAt("10.0.0.3", 80)]);
    const cluster = toyCluster("a", { edsClusterConfig: { serviceName: "b" } });
    expect(addresses(reach(cluster, [ofA, other]))).toEqual(["10.0.0.3:80"]);
  });

  test("come from its own load assignment if it has one, with DNS names and pipes", () => {
    const pipe = { address: { case: "pipe" as const, value: { path: "/run/a.sock" } } };
    const byPipe = { hostIdentifier: { case: "endpoint" as const, value: { address: pipe } } };
    const loadAssignment = assignmentOf("a", [endpointAt("a.example.com", 443), byPipe]);
    expect(addresses(reach(toyCluster("a", { loadAssignment }), [ofA]))).toEqual([
      "a.example.com:443",
      "unix:///run/a.sock",
    ]);
  });

  test("are sorted by priority", () => {
    const endpoints = [
      { priority: 1, lbEndpoints: [endpointAt("10.0.0.1", 80)] },
      { priority: 0, lbEndpoints: [endpointAt("10.0.0.2", 80)] },
    ];
    const sent = create(ClusterLoadAssignmentSchema, { clusterName: "a", endpoints });
    expect(reach(toyCluster("a"), [sent]).endpoints).toMatchObject([
      { address: "10.0.0.2:80", priority: 0 },
      { address: "10.0.0.1:80", priority: 1 },
    ]);
  });

  test.each([
    ["a cluster that was not sent", toyCluster("b"), "does not exist"],
    ["a cluster without a load assignment", toyCluster("a"), "has no endpoints"],
    [
      "a black hole",
      toyCluster("a", { clusterDiscoveryType: { case: "type", value: DiscoveryType.STATIC } }),
      "has no endpoints",
    ],
  ])("%s fails", (_, cluster, problem) => {
    expect(reach(cluster)).toMatchObject({ problem, endpoints: [] });
  });

  test("are empty if an extension discovers them", () => {
    const clusterDiscoveryType = { case: "clusterType" as const, value: { name: "envoy.clusters.dns" } };
    const step = reach(toyCluster("a", { clusterDiscoveryType }));
    expect(step).toMatchObject({ notes: ["envoy.clusters.dns discovers its endpoints"], endpoints: [] });
    expect(step.problem).toBeUndefined();
  });
});

describe("health", () => {
  const sick = { healthStatus: HealthStatus.UNHEALTHY };
  const endpoints = (...sickness: readonly boolean[]) => [
    assignmentOf(
      "a",
      sickness.map((ill, index) => endpointAt(`10.0.0.${index}`, 80, ill ? sick : {})),
    ),
  ];

  test("unhealthy endpoints are skipped", () => {
    expect(reach(toyCluster("a"), endpoints(false, true))).toMatchObject({
      endpoints: [{ address: "10.0.0.0:80" }],
      passedOver: [{ name: "10.0.0.1:80", why: "it is not healthy" }],
    });
  });

  test("all endpoints are candidates when more than half are unhealthy (panic mode)", () => {
    const step = reach(toyCluster("a"), endpoints(false, true, true));
    expect(step.endpoints).toHaveLength(3);
    expect(step.notes).toEqual(["too few of its endpoints are healthy: Envoy chooses from all"]);
  });

  test("a cluster with panic mode disabled skips unhealthy endpoints", () => {
    const cluster = toyCluster("a", { commonLbConfig: { healthyPanicThreshold: { value: 0 } } });
    expect(reach(cluster, endpoints(false, true, true)).endpoints).toHaveLength(1);
    expect(reach(cluster, endpoints(true, true)).problem).toBe("has no healthy endpoints");
  });
});

describe("an original destination cluster", () => {
  const clusterDiscoveryType = { case: "type" as const, value: DiscoveryType.ORIGINAL_DST };
  const cluster = toyCluster("a", { clusterDiscoveryType });
  test.each<[string, Partial<Arrival & SimulatedRequest>, string]>([
    ["the dialled address", { address: "10.1.1.1" }, "10.1.1.1:80"],
    ["the requested host", {}, "shop.example.com:80"],
    ["the workload itself", { direction: "inbound" }, "this workload:80"],
  ])("forwards to %s", (_, from, expected) => {
    expect(addresses(reach(cluster, [], from))).toEqual([expected]);
  });

  test("fails without interception", () => {
    expect(reach(cluster, [], { intercepted: false }).problem).toBe(
      "forwards to the dialled address, which is the proxy's own without interception",
    );
  });
});

describe("the transport to an endpoint", () => {
  const tls = typed(UpstreamTlsContextSchema);
  const mutual = typed(UpstreamTlsContextSchema, {
    commonTlsContext: { tlsCertificateSdsSecretConfigs: [{ name: "default" }] },
  });
  const endpoint = endpointAt("10.0.0.1", 80);
  const inMesh = {
    ...endpoint,
    metadata: { filterMetadata: { "envoy.transport_socket_match": { tlsMode: "istio" } } },
  };
  const matches = [
    { match: { tlsMode: "istio" }, transportSocket: mutual },
    { match: {}, transportSocket: typed(RawBufferSchema) },
  ];
  test.each([
    ["without a socket", toyCluster("a"), endpoint, "plaintext"],
    ["with a certificate of the server alone", toyCluster("a", { transportSocket: tls }), endpoint, "TLS"],
    ["with certificates of both", toyCluster("a", { transportSocket: mutual }), endpoint, "mutual TLS"],
    ["by its metadata", toyCluster("a", { transportSocketMatches: matches }), inMesh, "mutual TLS"],
    ["by missing metadata", toyCluster("a", { transportSocketMatches: matches }), endpoint, "plaintext"],
    [
      "by the default match",
      toyCluster("a", { transportSocketMatches: matches.slice(0, 1), transportSocket: tls }),
      endpoint,
      "TLS",
    ],
  ])("%s", (_, cluster, at, transport) => {
    expect(reach(cluster, [assignmentOf("a", [at])]).endpoints).toMatchObject([{ transport }]);
  });
});

test("the notes name the subset and its DestinationRule", () => {
  const config = "/apis/networking.istio.io/v1/namespaces/shop/destination-rule/reviews";
  const metadata = { filterMetadata: { istio: { subset: "v1", config } } };
  const step = reach(toyCluster("a", { metadata }));
  expect(step).toMatchObject({ notes: ["subset v1"], owners: ["DestinationRule/shop/reviews"] });
});

test("a static cluster ignores a load assignment with its name", () => {
  const sent = assignmentOf("outbound|80||a.shop", [endpointAt("10.0.0.2", 80)]);
  const discovery = { case: "type" as const, value: DiscoveryType.STATIC };
  const emptied = toyCluster("a", {
    clusterDiscoveryType: discovery,
    edsClusterConfig: { serviceName: sent.clusterName },
  });
  expect(reach(emptied, [sent]).problem).toBe("has no endpoints");
});

test("TLS inside a PROXY protocol transport counts as TLS", () => {
  const inner = typed(UpstreamTlsContextSchema);
  const transportSocket = typed(ProxyProtocolUpstreamTransportSchema, { transportSocket: inner });
  const ofA = assignmentOf("a", [endpointAt("10.0.0.2", 80)]);
  expect(reach(toyCluster("a", { transportSocket }), [ofA]).endpoints).toMatchObject([{ transport: "TLS" }]);
});
