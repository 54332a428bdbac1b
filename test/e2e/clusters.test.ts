import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { everyFeature, featureMesh } from "./clusters/every-feature.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { adsBootstrap, type EnvoyNode, gatewayNode, sidecarNode } from "./support/envoy/bootstrap.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoyWith } from "./support/envoy/envoy.ts";
import { gatewayYaml, routesYaml } from "./support/envoy/shop.ts";
import { freePort } from "./support/free-port.ts";
import { many } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");
const host = "shop.example.com";

/** A file beside the mesh, gone with the test. */
function fileOf(name: string, text: string): { readonly path: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-file-"));
  const path = join(folder, name);
  writeFileSync(path, text);
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A real Envoy in zone `eu/a`. */
function startIn(xdsPort: number, node: EnvoyNode = gatewayNode) {
  const bootstrap = adsBootstrap(xdsPort, "delta", node);
  const place = { ...(bootstrap["node"] as object), locality: { region: "eu", zone: "a" } };
  return startEnvoyWith({ ...bootstrap, node: place });
}

interface Listed {
  readonly port: number;
  readonly locality?: string;
  readonly network?: string;
  readonly labels?: string;
}

/** The service that the gateway sends everything to. */
function storeYaml(endpoints: readonly Listed[], policy: string): string {
  const listed = endpoints.map(
    ({ port, locality = "", network = "", labels = "" }) =>
      `  - {address: 127.0.0.1, ports: {http: ${port}}, locality: "${locality}", network: "${network}", labels: {${labels}}}`,
  );
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: store, namespace: shop}
spec:
  hosts: [store.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints:
${listed.join("\n")}
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: store, namespace: shop}
spec:
  host: store.shop.svc.cluster.local
  trafficPolicy: ${policy}
`;
}

const toStore = routesYaml("- route: [{destination: {host: store.shop.svc.cluster.local}}]");

async function openStore(endpoints: readonly Listed[], policy: string) {
  const port = await freePort();
  const gateway = gatewayYaml(port, host);
  return {
    port,
    mesh: new MeshDir({ "gateway.yaml": gateway, "store.yaml": storeYaml(endpoints, policy), "routes.yaml": toStore }),
  };
}

/** Until some requests in a row are all answered by one. */
function untilAll(name: string, port: number): Promise<true> {
  const claim = async () => ((await many(20, port, "/", { host })).get(name) === 20 ? (true as const) : undefined);
  return eventually(`${name} answers everything`, claim, { seconds: 20 });
}

describeWithEnvoy("clusters and endpoints, with a real Envoy", () => {
  test.each([
    ["router", gatewayNode],
    ["sidecar", sidecarNode],
  ])("a %s accepts a mesh that uses every feature", async (_, node) => {
    const ports = { http: await freePort(), tcp: await freePort(), auto: await freePort() };
    using mesh = new MeshDir({
      "mesh.yaml": everyFeature(ports),
      "gateway.yaml": gatewayYaml(await freePort(), host),
    });
    using settings = fileOf("mesh.yaml", featureMesh);
    await using binnacle = await startBinnacle({ dir: mesh.path, args: ["--mesh", settings.path] });
    await using envoy = await startIn(binnacle.xdsPort, node);
    await envoy.settled();
    expect(await envoy.troubles()).toEqual([]);
    expect(await envoy.stat("cluster_manager.active_clusters")).toBeGreaterThan(40);
  });

  test("requests with the same header reach one endpoint, and others are spread", async () => {
    await using one = await startEcho("one");
    await using two = await startEcho("two");
    const policy = "{loadBalancer: {consistentHash: {httpHeaderName: x-user, ringHash: {minimumRingSize: 128}}}}";
    const { port, mesh } = await openStore([one, two], policy);
    using files = mesh;
    await using binnacle = await startBinnacle({ dir: files.path });
    await using envoy = await startIn(binnacle.xdsPort);
    await envoy.settled();

    const answered = new Set<string>();
    for (let user = 0; user < 20; user++) {
      const who = await many(5, port, "/", { host, headers: { "x-user": `user-${user}` } });
      expect([...who.values()]).toEqual([5]);
      for (const name of who.keys()) answered.add(name);
    }
    expect(answered).toEqual(new Set(["one", "two"]));
  });

  test("traffic stays local, and fails over when local endpoints are unhealthy or missing", async () => {
    let ill = false;
    await using near = await startEcho("near", { status: () => (ill ? 503 : 200) });
    await using far = await startEcho("far");
    const policy =
      "{outlierDetection: {consecutive5xxErrors: 1, interval: 0.1s, baseEjectionTime: 60s, maxEjectionPercent: 100}}";
    const places = [
      { port: near.port, locality: "eu/a" },
      { port: far.port, locality: "us/c" },
    ];
    const { port, mesh } = await openStore(places, policy);
    using files = mesh;
    await using binnacle = await startBinnacle({ dir: files.path });
    await using envoy = await startIn(binnacle.xdsPort);
    await envoy.settled();
    await untilAll("near", port);

    ill = true;
    await untilAll("far", port);

    files.write("store.yaml", storeYaml(places.slice(1), policy));
    await untilAll("far", port);
    expect(await envoy.troubles()).toEqual([]);
  });

  test("an endpoint of another network is reached through that network's gateway", async () => {
    await using local = await startEcho("local");
    await using gateway = await startEcho("gateway");
    const endpoints = [{ port: 9, network: "far", labels: "security.istio.io/tlsMode: istio" }];
    const { port, mesh } = await openStore(endpoints, "{}");
    using files = mesh;
    const ways = `networks: {far: {gateways: [{address: 127.0.0.1, port: ${gateway.port}}]}}`;
    using networks = fileOf("networks.yaml", ways);
    await using binnacle = await startBinnacle({ dir: files.path, args: ["--networks", networks.path] });
    const node = { ...gatewayNode, metadata: { ...gatewayNode.metadata, NETWORK: "near" } };
    await using envoy = await startIn(binnacle.xdsPort, node);
    await envoy.settled();
    await untilAll("gateway", port);

    files.write("store.yaml", storeYaml([{ port: local.port, network: "near" }], "{}"));
    await untilAll("local", port);
    expect(await envoy.troubles()).toEqual([]);
  });
});
