import { expect, test } from "vitest";
import { configId } from "../../../../config/config.ts";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../../testing/envoy/decoded-resource.ts";
import { proxyWithName } from "../../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakeEndpoint, fakeService } from "../../../../testing/model/fake-service.ts";
import { fakeRule } from "../../../../testing/model/traffic.ts";
import type { PartFamily } from "../../generator.ts";
import { grpcClusters } from "./grpc-clusters.ts";
import { grpcEndpoints } from "./grpc-endpoints.ts";
import type { ClustersPart } from "./named-clusters.ts";
import { partId } from "../../generator.ts";

const client = proxyWithName("sidecar~10.0.0.1~web-0.web~web.svc.cluster.local", { GENERATOR: "grpc" });
const writer = new ProtoWriter();
const clusters = grpcClusters(writer);
const endpoints = grpcEndpoints(writer);

const subset = { name: "v1", labels: {}, trafficPolicy: undefined };
const push = pushOf({
  services: [
    fakeService(),
    fakeService({ hostname: "out.shop", resolution: "dns" }),
    fakeService({ hostname: "dns.shop", ports: [{ number: 53, name: "udp", protocol: "UDP", targetPort: 53 }] }),
  ],
  rules: [fakeRule({ subsets: [subset] })],
  endpoints: [
    { hostname: "cart.shop", namespace: "shop", endpoints: [fakeEndpoint()], owners: [] },
    { hostname: "out.shop", namespace: "shop", endpoints: [fakeEndpoint({ address: "out.example.com" })], owners: [] },
  ],
});

function partOf(family: PartFamily<ClustersPart>, asked: ReadonlySet<string> | "all", proxy = client) {
  const [part] = family.parts(proxy, push, asked);
  if (part === undefined) throw new Error("a client has a part");
  return part;
}

function made(family: PartFamily<ClustersPart>, asked: ReadonlySet<string> | "all") {
  return family.generate({ inputs: partOf(family, asked), push }).resources;
}

test("clusters and endpoints exist only for requested names", () => {
  const asked = new Set(["outbound|80|v1|cart.shop", "outbound|80||cart.shop"]);
  expect(made(clusters, asked).map(({ name }) => name)).toEqual([...asked]);
  expect(made(endpoints, asked).map(({ name }) => name)).toEqual([...asked]);
});

test.each([
  "outbound|81||cart.shop",
  "outbound|80|v9|cart.shop",
  "outbound|80|v1|out.shop",
  "outbound|53||dns.shop",
  "outbound|80||pay.shop",
  "BlackHoleCluster",
  "x|y",
])("the cluster %s exists without a service, and has no endpoints", (name) => {
  expect(made(clusters, new Set([name])).map(decodedResource)).toMatchObject([{ name, type: "EDS" }]);
  expect(made(endpoints, new Set([name]))).toEqual([]);
});

test("a name that the client resolves is in its cluster, and not in EDS", () => {
  const asked = new Set(["outbound|80||out.shop"]);
  expect(made(clusters, asked).map(decodedResource)).toMatchObject([{ type: "LOGICAL_DNS" }]);
  expect(made(endpoints, asked)).toEqual([]);
});

test("a debug page sees every cluster", () => {
  expect(made(clusters, "all").map(({ name }) => name)).toEqual([
    "outbound|80||cart.shop",
    "outbound|80|v1|cart.shop",
    "outbound|80||out.shop",
  ]);
});

test("a part is affected only by changes of its own services", () => {
  const dependsOn = endpoints.dependencies(partOf(endpoints, new Set(["outbound|80||cart.shop"])), push);
  expect(dependsOn(configId("Endpoints", "shop", "cart.shop"))).toBe(true);
  expect(dependsOn(configId("Endpoints", "shop", "out.shop"))).toBe(false);
  expect(dependsOn(configId("Service", "shop", "cart.shop"))).toBe(true);
  expect(dependsOn(configId("Service", "shop", "out.shop"))).toBe(false);
  expect(dependsOn(configId("DestinationRule", "shop", "cart"))).toBe(true);
});

test("a part without cluster names is affected by no service, and a part of all by each", () => {
  const dependsOn = (asked: ReadonlySet<string> | "all") =>
    endpoints.dependencies(partOf(endpoints, asked), push)(configId("Endpoints", "shop", "cart.shop"));
  expect([dependsOn(new Set(["BlackHoleCluster"])), dependsOn("all")]).toEqual([false, true]);
  expect(partId(partOf(clusters, "all"))).not.toBe(partId(partOf(clusters, new Set())));
});

test("clients with the same scope share a part for any names, and a name is encoded once", () => {
  const [a, b] = ["outbound|80||cart.shop", "outbound|80|v1|cart.shop"];
  const neighbour = proxyWithName("sidecar~10.0.0.9~tea-0.web~web.svc.cluster.local", { GENERATOR: "grpc" });
  expect(partId(partOf(clusters, new Set([b]), neighbour))).toBe(partId(partOf(clusters, new Set([a, b]))));
  const both = made(clusters, new Set([a, b]));
  const before = writer.encodings;
  expect(made(clusters, new Set([a]))[0]).toBe(both[0]);
  expect(writer.encodings).toBe(before);
});
