import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../testing/envoy/decoded-resource.ts";
import { fakeAssignment } from "../../../testing/model/assignment-inputs.ts";
import { fakeEndpoint } from "../../../testing/model/fake-service.ts";
import { fakeRule } from "../../../testing/model/traffic.ts";
import type { Endpoint } from "../../model/service/service.ts";
import type { Subset } from "../../model/traffic/destination-rule.ts";
import { buildGrpcLoadAssignment } from "./build-grpc-load-assignment.ts";

const writer = new ProtoWriter();
const port = { number: 80, name: "http", protocol: "GRPC", targetPort: 80 } as const;

function assignment(endpoints: readonly Endpoint[], subset?: Subset) {
  const known = { hostname: "cart.shop", namespace: "shop", endpoints, owners: [] };
  const rule = subset === undefined ? undefined : fakeRule({ subsets: [subset] });
  return decodedResource(buildGrpcLoadAssignment(fakeAssignment({ port, endpoints: known, rule, subset }), writer));
}

function at(address: string, port: number) {
  return { endpoint: { address: { socketAddress: { address, portValue: port } } } };
}

test("each address occurs once, and only IP addresses occur", () => {
  const found = assignment([
    fakeEndpoint({ address: "10.0.0.1", port: 1 }),
    fakeEndpoint({ address: "10.0.0.1", port: 1 }),
    fakeEndpoint({ address: "10.0.0.1", port: 1, locality: "eu/a/1" }),
    fakeEndpoint({ address: "10.0.0.1", port: 2 }),
    fakeEndpoint({ address: "unix:///run/cart" }),
    fakeEndpoint({ address: "cart.example.com" }),
  ]);
  expect(found).toMatchObject({
    clusterName: "outbound|80||cart.shop",
    endpoints: [{ locality: {}, loadBalancingWeight: 2, lbEndpoints: [at("10.0.0.1", 1), at("10.0.0.1", 2)] }],
  });
  expect(found["endpoints"]).toHaveLength(1);
});

test("a subset has the endpoints with its labels", () => {
  const endpoints = [
    fakeEndpoint({ address: "10.0.0.1", labels: { version: "v1" } }),
    fakeEndpoint({ address: "10.0.0.2", labels: { version: "v2" } }),
  ];
  const v2 = { name: "v2", labels: { version: "v2" }, trafficPolicy: undefined };
  expect(assignment(endpoints, v2)).toMatchObject({
    clusterName: "outbound|80|v2|cart.shop",
    endpoints: [{ lbEndpoints: [at("10.0.0.2", 80)] }],
  });
});

test("weights whose sum exceeds 32 bits are scaled down, but never to zero", () => {
  const found = assignment([
    fakeEndpoint({ address: "10.0.0.1", weight: 0xff_ff_ff_ff, locality: "a" }),
    fakeEndpoint({ address: "10.0.0.2", weight: 0xff_ff_ff_ff, locality: "b" }),
    fakeEndpoint({ address: "10.0.0.3", weight: 1, locality: "c" }),
  ]);
  const half = Math.floor(0xff_ff_ff_ff / 2) - 2;
  expect(found["endpoints"]).toMatchObject([
    { loadBalancingWeight: half },
    { loadBalancingWeight: half },
    { loadBalancingWeight: 1 },
  ]);
});
