import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fakeAssignment } from "../../../testing/model/assignment-inputs.ts";
import { fakeEndpoint, fakeService } from "../../../testing/model/fake-service.ts";
import { fakePolicy, fakeTls } from "../../../testing/model/fake-traffic-policy.ts";
import { fakeRule } from "../../../testing/model/traffic.ts";
import { unknownLocation } from "../../model/location/proxy-location.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { Endpoint } from "../../model/service/service.ts";
import type { AssignmentInputs } from "./assigned-groups.ts";
import { buildLoadAssignment } from "./build-load-assignment.ts";

function assignmentOf(endpoints: readonly Partial<Endpoint>[], changes: Partial<AssignmentInputs> = {}): string {
  const all = endpoints.map((each) => fakeEndpoint(each));
  const listed = { hostname: "cart.shop", namespace: "shop", endpoints: all, owners: [] };
  const inputs = fakeAssignment({ endpoints: listed, ...changes });
  return JSON.stringify(decodedResource(buildLoadAssignment(inputs, new ProtoWriter())));
}

test("EDS leaves out hostnames, which clusters resolve", () => {
  const text = assignmentOf([{ address: "a.example.com" }, { address: "unix:///run/app" }, { address: "10.0.0.1" }]);
  expect(text).not.toContain("a.example.com");
  expect(text).toContain("/run/app");
  expect(text).toContain("10.0.0.1");
});

test("terminating endpoints are left out, unless the service keeps sessions", () => {
  const draining = [{ address: "10.0.0.1", labels: { "istio.io/draining": "true" } }];
  expect(assignmentOf(draining)).not.toContain("10.0.0.1");
  const service = fakeService({ labels: { "istio.io/persistent-session": "cookie" } });
  expect(assignmentOf(draining, { service })).toContain("10.0.0.1");
});

test("endpoints have the TLS mode that the rule sets", () => {
  const rule = fakeRule({ trafficPolicy: fakePolicy({ tls: fakeTls({ mode: "istio-mutual" }) }) });
  expect(assignmentOf([{}])).not.toContain("tlsMode");
  expect(assignmentOf([{}], { rule })).toContain("tlsMode");
});

test("SNI-DNAT routers get only endpoints with mesh mTLS, under the name in the SNI", () => {
  const endpoints = [{ address: "10.0.0.1", tlsMode: "istio" }, { address: "10.0.0.2" }] as const;
  const text = assignmentOf(endpoints, { sniDnat: true });
  expect(text).toContain("10.0.0.1");
  expect(text).not.toContain("10.0.0.2");
  expect(text).toContain('"outbound_.80_._.cart.shop"');
});

test("endpoints have their reported health", () => {
  expect(assignmentOf([{}])).not.toContain("healthStatus");
  expect(assignmentOf([{ health: "healthy" }])).toContain('"healthStatus":"HEALTHY"');
  expect(assignmentOf([{ health: "unhealthy" }])).toContain('"healthStatus":"UNHEALTHY"');
  const service = fakeService({ labels: { "istio.io/persistent-session": "cookie" } });
  const draining = { labels: { "istio.io/draining": "true" }, health: "healthy" } as const;
  expect(assignmentOf([draining], { service })).toContain('"healthStatus":"DRAINING"');
});

test("a node-local service has only the endpoints of the client's node", () => {
  const service = fakeService({ nodeLocal: true });
  const endpoints = [
    { address: "10.0.0.1", node: "one" },
    { address: "10.0.0.2", node: "two" },
  ];
  const text = assignmentOf(endpoints, { service, location: { ...unknownLocation, node: "two" } });
  expect(text).toContain("10.0.0.2");
  expect(text).not.toContain("10.0.0.1");
});

test.each([
  ["another service", [], ["10.0.0.1", "10.0.0.2"]],
  ["a cluster-local service", [{ host: "*", isLocal: true }], ["10.0.0.2"]],
  [
    "a service that is excepted from a wildcard",
    [
      { host: "reviews.shop", isLocal: false },
      { host: "*", isLocal: true },
    ],
    ["10.0.0.1", "10.0.0.2"],
  ],
])("a client gets the endpoints of %s", (_, clusterLocal, addresses) => {
  const endpoints = [
    { address: "10.0.0.1", clusterId: "one" },
    { address: "10.0.0.2", clusterId: "two" },
  ];
  const text = assignmentOf(endpoints, {
    service: fakeService({ hostname: "reviews.shop" }),
    mesh: { ...defaultMeshSettings, clusterLocal },
    location: { ...unknownLocation, clusterId: "two" },
  });
  expect(text.match(/10\.0\.0\.\d/gu)).toEqual(addresses);
});

test("a client sees only the networks that it requests", () => {
  const endpoints = [
    { address: "10.0.0.1", network: "a" },
    { address: "10.0.0.2", network: "b" },
  ];
  const text = assignmentOf(endpoints, { location: { ...unknownLocation, networkView: ["b"] } });
  expect(text).toContain("10.0.0.2");
  expect(text).not.toContain("10.0.0.1");
});

test("subsets may select endpoints by their locality labels", () => {
  const subset = { name: "near", labels: { "topology.kubernetes.io/zone": "a" }, trafficPolicy: undefined };
  const endpoints = [
    { address: "10.0.0.1", locality: "eu/a" },
    { address: "10.0.0.2", locality: "eu/b" },
  ];
  const text = assignmentOf(endpoints, { subset, rule: fakeRule({ subsets: [subset] }) });
  expect(text).toContain("10.0.0.1");
  expect(text).not.toContain("10.0.0.2");
});

test("every endpoint weighs at least 1, and the weight of a locality fits 32 bits", () => {
  expect(assignmentOf([{ weight: 0 }])).toContain('"loadBalancingWeight":1');
  const heavy = [
    { address: "10.0.0.1", weight: 0xff_ff_ff_ff },
    { address: "10.0.0.2", weight: 5 },
  ];
  // Envoy adds up what the endpoints weigh, so they are made lighter together.
  expect(assignmentOf(heavy)).toMatch(/"loadBalancingWeight":4294967288\}.*"loadBalancingWeight":4294967292\}\]/u);
});
