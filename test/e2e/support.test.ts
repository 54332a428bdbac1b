import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gatewayNode, sidecarNode } from "./support/envoy/bootstrap.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy, startEnvoyWith } from "./support/envoy/envoy.ts";
import { get, many } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");

test("an echo server reports the received request", async () => {
  await using echo = await startEcho("reviews-v1");
  const answer = await get(echo.port, "/a?b=c", { host: "reviews", headers: { "x-user": "jason" } });
  expect(answer.headers["x-echo"]).toBe("reviews-v1");
  expect(JSON.parse(answer.body)).toMatchObject({
    name: "reviews-v1",
    method: "GET",
    path: "/a?b=c",
    host: "reviews",
    headers: { "x-user": "jason" },
  });
});

test("calls are counted by answering server or by reason of failure", async () => {
  const echo = await startEcho("ratings");
  expect(await many(100, echo.port, "/")).toEqual(new Map([["ratings", 100]]));
  await echo.stop();
  expect(await many(3, echo.port, "/")).toEqual(new Map([["ECONNREFUSED", 3]]));
});

test("a mesh directory shows only whole files and leaves nothing behind", () => {
  const mesh = new MeshDir({ "gateways/a.yaml": "kind: Gateway\n" });
  mesh.write("b.yaml", "kind: Service\n");
  mesh.write("b.yaml", "kind: VirtualService\n");
  mesh.remove("gateways/a.yaml");
  expect(readdirSync(mesh.path, "utf8").toSorted()).toEqual(["b.yaml", "gateways"]);
  expect(readFileSync(join(mesh.path, "b.yaml"), "utf8")).toBe("kind: VirtualService\n");
  mesh[Symbol.dispose]();
  expect(existsSync(mesh.path)).toBe(false);
});

describeWithEnvoy("the harness", () => {
  test("sees Envoy go live on static configuration and proxy to an echo server", async () => {
    await using echo = await startEcho("static");
    await using envoy = await startEnvoyWith(staticProxyTo(echo.port));
    await envoy.waitFor(async () => (await envoy.serverInfo()).state === "LIVE");
    const port = await listenerPort(envoy.adminPort);
    expect(await many(20, port, "/")).toEqual(new Map([["static", 20]]));
    expect(await envoy.stat("http.in.downstream_rq_2xx")).toBe(20);
    expect((await envoy.configDump()).configs.length).toBeGreaterThan(0);
  });

  test.each([
    ["sotw", gatewayNode],
    ["delta", sidecarNode],
  ] as const)("learns what Envoy misses when no %s server answers", async (mode, node) => {
    await using envoy = await startEnvoy({ xdsPort: 1, mode, node });
    await envoy.waitFor(async () => (await envoy.stat("cluster.xds-grpc.upstream_cx_connect_fail")) > 0);
    expect(await envoy.troubles()).toContain("control_plane.connected_state is 0");
    envoy.pause();
    envoy.resume();
    expect((await envoy.serverInfo()).version).toContain("/1.40.0/");
  });
});

async function listenerPort(adminPort: number): Promise<number> {
  const { body } = await get(adminPort, "/listeners?format=json");
  const { listener_statuses: listeners } = JSON.parse(body);
  return listeners[0].local_address.socket_address.port_value;
}

function staticProxyTo(port: number) {
  const manager = "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
  const router = "envoy.extensions.filters.http.router.v3.Router";
  const connections = {
    "@type": `type.googleapis.com/${manager}`,
    stat_prefix: "in",
    http_filters: [{ name: "router", typed_config: { "@type": `type.googleapis.com/${router}` } }],
    route_config: {
      virtual_hosts: [
        { name: "all", domains: ["*"], routes: [{ match: { prefix: "/" }, route: { cluster: "echo" } }] },
      ],
    },
  };
  const address = { socket_address: { address: "127.0.0.1", port_value: port } };
  return {
    static_resources: {
      listeners: [
        {
          name: "in",
          address: { socket_address: { address: "127.0.0.1", port_value: 0 } },
          filter_chains: [{ filters: [{ name: "http", typed_config: connections }] }],
        },
      ],
      clusters: [
        {
          name: "echo",
          type: "STATIC",
          load_assignment: { cluster_name: "echo", endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
        },
      ],
    },
  };
}
