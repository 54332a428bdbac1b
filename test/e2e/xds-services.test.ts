import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { startGrpcClient } from "./support/grpc/grpc-client.ts";
import { grpcHost, openGrpcShop, reviewsSplit } from "./support/grpc/grpc-shop.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeWithGrpcurl = await describeWith("grpcurl");
const describeWithV2 = await describeWith("grpc-go-v2");
const target = `xds:///${grpcHost("reviews")}:9080`;

async function grpcurl(...args: readonly string[]): Promise<string> {
  const all = ["-plaintext", ...args];
  return (await promisify(execFile)(await peerPath("grpcurl"), all, { timeout: 60_000 })).stdout;
}

describeWithGrpcurl("generic gRPC tools", () => {
  const rig = shared(async (resources) => {
    const shop = resources.use(await openGrpcShop(reviewsSplit(100, 0)));
    return resources.use(await startBinnacle({ dir: shop.mesh.path }));
  });

  test("list the services, describe them, and decode the responses", async () => {
    const address = rig().addresses.xds;
    expect((await grpcurl(address, "list")).trim().split("\n")).toEqual([
      "envoy.service.cluster.v3.ClusterDiscoveryService",
      "envoy.service.discovery.v3.AggregatedDiscoveryService",
      "envoy.service.endpoint.v3.EndpointDiscoveryService",
      "envoy.service.extension.v3.ExtensionConfigDiscoveryService",
      "envoy.service.listener.v3.ListenerDiscoveryService",
      "envoy.service.route.v3.RouteDiscoveryService",
      "envoy.service.secret.v3.SecretDiscoveryService",
      "envoy.service.status.v3.ClientStatusDiscoveryService",
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
    ]);
    expect(await grpcurl(address, "describe", "envoy.config.cluster.v3.Cluster")).toContain("message Cluster {");
    expect(JSON.parse(await grpcurl(address, "grpc.health.v1.Health/Check"))).toEqual({ status: "SERVING" });
    await expect(grpcurl("-d", '{"service": "nobody"}', address, "grpc.health.v1.Health/Check")).rejects.toThrow(
      "NotFound",
    );

    const node = { id: "router~127.0.0.1~gw.shop~shop.svc.cluster.local" };
    const method = "envoy.service.cluster.v3.ClusterDiscoveryService/StreamClusters";
    const { resources } = JSON.parse(await grpcurl("-d", JSON.stringify({ node }), address, method)) as {
      readonly resources: readonly Readonly<Record<string, unknown>>[];
    };
    expect(resources.map((resource) => resource["@type"])).toContain(
      "type.googleapis.com/envoy.config.cluster.v3.Cluster",
    );
    expect(resources.map(({ name }) => name)).toContain("outbound|9080||reviews.shop.svc.cluster.local");
  });

  test("read the resources of every client over CSDS", async () => {
    const { xdsPort, addresses } = rig();
    await using client = await startGrpcClient("js", { target, xdsPort });
    expect(await client.many(3)).toEqual(new Map([["v1", 3]]));
    const method = "envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus";
    const synced = await eventually(
      "everything is acknowledged",
      async () => {
        const { config } = JSON.parse(await grpcurl("-d", "{}", addresses.xds, method)) as StatusResponse;
        const configs = config?.flatMap(({ genericXdsConfigs }) => genericXdsConfigs) ?? [];
        return configs.length >= 4 && configs.every(({ configStatus }) => configStatus === "SYNCED") && configs;
      },
      { seconds: 20 },
    );
    expect(synced.map(({ name }) => name)).toContain("reviews.shop.svc.cluster.local:9080");
  });
});

interface StatusResponse {
  readonly config?: readonly {
    readonly genericXdsConfigs: readonly { readonly name: string; readonly configStatus: string }[];
  }[];
}

describeWithV2("an xDS v2 client", () => {
  test("sends calls where the YAML says, and follows edits", async () => {
    await using shop = await openGrpcShop(reviewsSplit(100, 0));
    await using binnacle = await startBinnacle({ dir: shop.mesh.path });
    await using client = await startGrpcClient("go-v2", { target, xdsPort: binnacle.xdsPort });
    expect(await client.many(20)).toEqual(new Map([["v1", 20]]));
    shop.mesh.write("routes.yaml", reviewsSplit(0, 100));
    await client.untilAnsweredBy("v2");
    expect(binnacle.log()).not.toContain("rejected a response");
  });
});
