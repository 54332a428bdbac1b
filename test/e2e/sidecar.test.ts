import { once } from "node:events";
import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { sidecarNode } from "./support/envoy/bootstrap.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get, many } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { TestAuthority } from "./support/tls/certificates.ts";
import { certifiedNode, mutualShop } from "./support/tls/mutual-shop.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");
const modes = ["sotw", "delta"] as const;
const host = "reviews.shop.svc.cluster.local";

/** Two versions of the reviews behind one port, and the rule that tells them apart. */
async function reviews(port: number) {
  const [v1, v2] = [await startEcho("v1"), await startEcho("v2")];
  const endpoints = [v1, v2].map((echo) => ({ port: echo.port, labels: { version: echo.name } }));
  const subsets = ["v1", "v2"].map((version) => ({ name: version, labels: { version } }));
  const files = {
    "reviews.yaml": serviceYaml({ name: "reviews", port, endpoints }),
    "rule.yaml": objectYaml("DestinationRule", "reviews", { host, subsets }),
  };
  const stop = async () => {
    await Promise.all([v1.stop(), v2.stop()]);
  };
  return { files, [Symbol.asyncDispose]: stop };
}

function routes(http: readonly object[]): string {
  return objectYaml("VirtualService", "reviews", { hosts: [host], http });
}

function split(v1: number, v2: number): object {
  const weights = { v1, v2 };
  return { route: Object.entries(weights).map(([subset, weight]) => ({ destination: { host, subset }, weight })) };
}

/** A VirtualService that sends all requests for a service to it, with more to say on how. */
function routeTo(name: string, rest: object): string {
  const itself = `${name}.shop.svc.cluster.local`;
  return objectYaml("VirtualService", name, {
    hosts: [itself],
    http: [{ route: [{ destination: { host: itself } }], ...rest }],
  });
}

function untilAnsweredBy(name: string, port: number) {
  const all = async () => (await many(20, port, "/", { host })).get(name) === 20;
  return eventually(`all traffic reaches ${name}`, all, { seconds: 20 });
}

describeWithEnvoy("a real Envoy as sidecar, without interception", () => {
  test.each(modes)("sends a workload's traffic where the YAML says, and follows edits, %s", async (mode) => {
    const port = await freePort();
    await using shop = await reviews(port);
    const jason = { match: [{ headers: { "x-user": { exact: "jason" } } }], ...split(0, 100) };
    using mesh = new MeshDir({ ...shop.files, "routes.yaml": routes([jason, split(80, 20)]) });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode, node: sidecarNode });
    await envoy.settled();

    const counts = await many(1000, port, "/", { host });
    expect([...counts.keys()].toSorted()).toEqual(["v1", "v2"]);
    // 20 % of 1000 with a standard deviation of 12.6: six of them on either side.
    expect(Math.abs((counts.get("v2") ?? 0) - 200)).toBeLessThan(76);
    const asJason = { host: "reviews.shop", headers: { "x-user": "jason" } };
    expect(await many(20, port, "/", asJason)).toEqual(new Map([["v2", 20]]));

    mesh.write("routes.yaml", routes([split(0, 100)]));
    await untilAnsweredBy("v2", port);
    mesh.write("routes.yaml", routes([split(100, 0)]).replace('"http"', '"htpp"'));
    const logged = () => /routes\.yaml","line":\d+/u.test(binnacle.log());
    await eventually("the error names its place", logged, { seconds: 20 });
    expect(await many(50, port, "/", { host })).toEqual(new Map([["v2", 50]]));
    mesh.write("routes.yaml", routes([split(100, 0)]));
    await untilAnsweredBy("v1", port);
    expect(await envoy.troubles()).toEqual([]);
  });

  test.each(modes)("retries what failed and gives up in time, %s", async (mode) => {
    const [flakyPort, silentPort] = [await freePort(), await freePort()];
    await using flaky = await startEcho("flaky", { status: (request) => (request % 3 === 0 ? 200 : 503) });
    await using silent = await startEcho("silent", { status: () => undefined });
    using mesh = new MeshDir({
      "flaky.yaml": serviceYaml({ name: "flaky", port: flakyPort, endpoints: [{ port: flaky.port }] }),
      "flaky-routes.yaml": routeTo("flaky", { retries: { attempts: 2, retryOn: "503", perTryTimeout: "5s" } }),
      "silent.yaml": serviceYaml({ name: "silent", port: silentPort, endpoints: [{ port: silent.port }] }),
      "silent-routes.yaml": routeTo("silent", { timeout: "0.2s", retries: { attempts: 0 } }),
    });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode, node: sidecarNode });
    await envoy.settled();

    const answer = await get(flakyPort, "/", { host: "flaky.shop" });
    expect([answer.status, flaky.requests]).toEqual([200, 3]);
    const late = await get(silentPort, "/", { host: "silent.shop" });
    expect([late.status, late.body, silent.requests]).toEqual([504, "upstream request timeout", 1]);
  });

  test.each(modes)("resolves names and passes plain connections on, %s", async (mode) => {
    const [webPort, rawPort] = [await freePort(), await freePort()];
    await using web = await startEcho("web");
    const raw = createServer((socket) => socket.end("raw bytes")).listen(0, "127.0.0.1");
    await once(raw, "listening");
    const address = raw.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
    using mesh = new MeshDir({
      "web.yaml": serviceYaml({
        name: "web",
        port: webPort,
        resolution: "DNS",
        endpoints: [{ address: "localhost", port: web.port }],
      }),
      "raw.yaml": serviceYaml({ name: "raw", port: rawPort, protocol: "TCP", endpoints: [{ port: address.port }] }),
    });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode, node: sidecarNode });
    await envoy.settled();

    expect(await many(5, webPort, "/", { host: "web.shop" })).toEqual(new Map([["web", 5]]));
    expect(await text(connect(rawPort, "127.0.0.1"))).toBe("raw bytes");
    expect(await envoy.troubles()).toEqual([]);
    raw.close();
  });
});

describeWithEnvoy("two real Envoys with certificates in files", () => {
  test.each(modes)("go live without an agent and speak mutual TLS, %s", async (mode) => {
    using authority = await TestAuthority.create();
    const [port, inboundPort] = [await freePort(), await freePort()];
    await using app = await startEcho("app");
    using mesh = new MeshDir(mutualShop({ port, inboundPort, appPort: app.port }));
    await using binnacle = await startBinnacle({ dir: mesh.path });
    const start = async (name: string, address: string) => {
      const node = certifiedNode(name, address, await authority.issue("shop", name));
      return startEnvoy({ xdsPort: binnacle.xdsPort, mode, node });
    };
    await using server = await start("server", "127.0.0.2");
    await using client = await start("client", "127.0.0.3");
    await server.settled();
    await client.settled();

    const answer = await get(port, "/", { host: "app.shop" });
    expect(answer.headers["x-echo"]).toBe("app");
    const { headers } = JSON.parse(answer.body) as { readonly headers: Readonly<Record<string, string>> };
    expect(headers["x-forwarded-client-cert"]).toContain("URI=spiffe://cluster.local/ns/shop/sa/client");
    expect([await server.troubles(), await client.troubles()]).toEqual([[], []]);
  });
});
