import { fromBinary } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import type { DiscoveryResponse } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { eventually } from "../../src/testing/eventually.ts";
import { clusterType, endpointType } from "../../src/xds/type-urls.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { SotwClient } from "./support/xds/ads-client.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const reviews = serviceYaml({ name: "reviews", port: 80, endpoints: [{ port: 9080 }] });
const billing = objectYaml("ServiceEntry", "billing", {
  hosts: ["billing.shop.svc.cluster.local"],
  resolution: "STATIC",
  ports: [{ number: 80, name: "main", protocol: "HTTP" }],
  workloadSelector: { labels: { app: "billing" } },
});
const group = objectYaml("WorkloadGroup", "billing", { metadata: { labels: { app: "billing" } }, template: {} });
const machine = {
  id: "sidecar~127.0.0.7~vm-0.shop~shop.svc.cluster.local",
  metadata: { NAMESPACE: "shop", INSTANCE_IPS: "127.0.0.7", AUTO_REGISTER_GROUP: "billing" },
};

function addressesIn({ resources }: DiscoveryResponse): readonly string[] {
  const assignments = resources.map(({ value }) => fromBinary(ClusterLoadAssignmentSchema, value));
  const hosts = assignments.flatMap(({ endpoints }) => endpoints.flatMap(({ lbEndpoints }) => lbEndpoints));
  return hosts.flatMap(({ hostIdentifier: { value } }) => {
    const address = typeof value === "object" ? value.address?.address : undefined;
    return address?.case === "socketAddress" ? [address.value.address] : [];
  });
}

test("a registered VM gets traffic until it leaves", async () => {
  using mesh = new MeshDir({ "billing.yaml": billing, "group.yaml": group });
  const args = ["--xds-identity-check", "off", "--workload-grace", "0s"];
  await using binnacle = await startBinnacle({ dir: mesh.path, args });
  using caller = new SotwClient(binnacle.xdsPort, gatewayNode);
  caller.subscribe(endpointType, ["outbound|80||billing.shop.svc.cluster.local"]);
  const called = async () => {
    const response = await caller.next(endpointType);
    caller.ack(response);
    return addressesIn(response);
  };
  expect(await called()).toEqual([]);
  {
    using vm = new SotwClient(binnacle.xdsPort, machine);
    vm.subscribe(clusterType);
    expect(await called()).toEqual(["127.0.0.7"]);
  }
  expect(await called()).toEqual([]);
  const { body } = await get(binnacle.metricsPort, "/metrics");
  expect(body).toContain("auto_registration_success_total 1");
  expect(body).toContain("auto_registration_deletes_total 1");
});

test("an unauthenticated VM is not registered", async () => {
  using mesh = new MeshDir({ "billing.yaml": billing, "group.yaml": group });
  await using binnacle = await startBinnacle({ dir: mesh.path });
  using vm = new SotwClient(binnacle.xdsPort, machine);
  vm.subscribe(clusterType);
  expect(await vm.stream.ended).toMatchObject({ code: status.PERMISSION_DENIED });
});

test("without flow control a change is sent before the previous response is acknowledged", async () => {
  using mesh = new MeshDir({ "reviews.yaml": reviews });
  await using binnacle = await startBinnacle({
    dir: mesh.path,
    args: ["--flow-control", "off", "--ack-timeout", "1h"],
  });
  using client = new SotwClient(binnacle.xdsPort, gatewayNode);
  client.subscribe(clusterType);
  const { resources } = await client.next(clusterType);
  mesh.write("billing.yaml", billing);
  expect((await client.next(clusterType)).resources.length).toBe(resources.length + 1);
});

test("proxies over the rate limit get the time of their next attempt", async () => {
  using mesh = new MeshDir({ "reviews.yaml": reviews });
  await using binnacle = await startBinnacle({ dir: mesh.path, args: ["--max-streams-per-second", "1"] });
  const clients = Array.from({ length: 4 }, () => new SotwClient(binnacle.xdsPort, gatewayNode));
  using all = new DisposableStack();
  for (const client of clients) all.use(client).subscribe(clusterType);
  const { code, metadata } = await Promise.race(clients.map(({ stream }) => stream.ended));
  expect(code).toBe(status.RESOURCE_EXHAUSTED);
  expect(Number(metadata.get("grpc-retry-pushback-ms")[0])).toBeGreaterThan(1_000);
});

test("a stopping server ends its streams, and exits with 0", async () => {
  using mesh = new MeshDir({ "reviews.yaml": reviews });
  await using binnacle = await startBinnacle({ dir: mesh.path });
  using client = new SotwClient(binnacle.xdsPort, gatewayNode);
  client.subscribe(clusterType);
  await client.next(clusterType);
  binnacle.kill("SIGTERM");
  expect(await client.stream.ended).toMatchObject({ code: status.UNAVAILABLE, details: "the server is shutting down" });
  expect(await binnacle.exited).toBe(0);
});

test("an old connection is ended, and its proxy reconnects", async () => {
  using mesh = new MeshDir({ "reviews.yaml": reviews });
  await using binnacle = await startBinnacle({ dir: mesh.path, args: ["--max-connection-age", "300ms"] });
  const first = await eventually(
    "a connection that is old",
    async () => {
      using client = new SotwClient(binnacle.xdsPort, gatewayNode);
      client.subscribe(clusterType);
      await client.next(clusterType);
      return await client.stream.ended;
    },
    { seconds: 20 },
  );
  expect(first).toMatchObject({ code: status.UNAVAILABLE, details: "the connection is old: open another one" });
  using again = new SotwClient(binnacle.xdsPort, gatewayNode);
  again.subscribe(clusterType);
  expect((await again.next(clusterType)).resources.length).toBeGreaterThan(0);
});
