import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { startBinnacle } from "./support/binnacle/server.ts";
import { sidecarNode } from "./support/envoy/bootstrap.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get, many, untilAnsweredBy } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { openMutualShop } from "./support/tls/mutual-shop.ts";
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

function everyThird(request: number): number {
  return request % 3 === 0 ? 200 : 503;
}

describeWithEnvoy("a real Envoy as sidecar, without interception", () => {
  describe.each(modes)("%s", (mode) => {
    const world = shared(async (resources) => {
      const ports = {
        reviews: await freePort(),
        flaky: await freePort(),
        silent: await freePort(),
        web: await freePort(),
        raw: await freePort(),
      };
      const shop = resources.use(await reviews(ports.reviews));
      const flaky = resources.use(await startEcho("flaky", { status: everyThird }));
      const silent = resources.use(await startEcho("silent", { status: () => undefined }));
      const web = resources.use(await startEcho("web"));
      const raw = resources.use(createServer((socket) => socket.end("raw bytes")).listen(0, "127.0.0.1"));
      await once(raw, "listening");
      const { port: rawPort } = raw.address() as AddressInfo;
      const jason = { match: [{ headers: { "x-user": { exact: "jason" } } }], ...split(0, 100) };
      const named = [{ address: "localhost", port: web.port }];
      const mesh = resources.use(
        new MeshDir({
          ...shop.files,
          "routes.yaml": routes([jason, split(80, 20)]),
          "flaky.yaml": serviceYaml({ name: "flaky", port: ports.flaky, endpoints: [{ port: flaky.port }] }),
          "flaky-routes.yaml": routeTo("flaky", { retries: { attempts: 2, retryOn: "503", perTryTimeout: "5s" } }),
          "silent.yaml": serviceYaml({ name: "silent", port: ports.silent, endpoints: [{ port: silent.port }] }),
          "silent-routes.yaml": routeTo("silent", { timeout: "0.2s", retries: { attempts: 0 } }),
          "web.yaml": serviceYaml({ name: "web", port: ports.web, resolution: "DNS", endpoints: named }),
          "raw.yaml": serviceYaml({ name: "raw", port: ports.raw, protocol: "TCP", endpoints: [{ port: rawPort }] }),
        }),
      );
      const binnacle = resources.use(await startBinnacle({ dir: mesh.path }));
      const envoy = resources.use(await startEnvoy({ xdsPort: binnacle.xdsPort, mode, node: sidecarNode }));
      await envoy.settled();
      return { ports, flaky, silent, mesh, binnacle, envoy };
    });

    test("sends a workload's traffic where the YAML says, and follows edits", async () => {
      const { ports, mesh, binnacle, envoy } = world();
      const port = ports.reviews;
      const counts = await many(1000, port, "/", { host });
      expect([...counts.keys()].toSorted()).toEqual(["v1", "v2"]);
      // 20 % of 1000 with a standard deviation of 12.6: six of them on either side.
      expect(Math.abs((counts.get("v2") ?? 0) - 200)).toBeLessThan(76);
      const asJason = { host: "reviews.shop", headers: { "x-user": "jason" } };
      expect(await many(20, port, "/", asJason)).toEqual(new Map([["v2", 20]]));

      mesh.write("routes.yaml", routes([split(0, 100)]));
      await untilAnsweredBy("v2", port, { host });
      mesh.write("routes.yaml", routes([split(100, 0)]).replace('"http"', '"htpp"'));
      await binnacle.logged(/routes\.yaml","line":\d+/u);
      expect(await many(50, port, "/", { host })).toEqual(new Map([["v2", 50]]));
      mesh.write("routes.yaml", routes([split(100, 0)]));
      await untilAnsweredBy("v1", port, { host });
      expect(await envoy.troubles()).toEqual([]);
    });

    test("retries failed requests, and ends them after their timeout", async () => {
      const { ports, flaky, silent } = world();
      const answer = await get(ports.flaky, "/", { host: "flaky.shop" });
      expect([answer.status, flaky.requests]).toEqual([200, 3]);
      const late = await get(ports.silent, "/", { host: "silent.shop" });
      expect([late.status, late.body, silent.requests]).toEqual([504, "upstream request timeout", 1]);
    });

    test("resolves DNS names and forwards TCP connections", async () => {
      const { ports, envoy } = world();
      expect(await many(5, ports.web, "/", { host: "web.shop" })).toEqual(new Map([["web", 5]]));
      expect(await text(connect(ports.raw, "127.0.0.1"))).toBe("raw bytes");
      expect(await envoy.troubles()).toEqual([]);
    });
  });
});

describeWithEnvoy("two real Envoys with certificates in files", () => {
  test.each(modes)("go live without an agent and speak mutual TLS, %s", async (mode) => {
    await using shop = await openMutualShop(mode);
    const answer = await get(shop.port, "/", { host: "app.shop" });
    expect(answer.headers["x-echo"]).toBe("app");
    const { headers } = JSON.parse(answer.body) as { readonly headers: Readonly<Record<string, string>> };
    expect(headers["x-forwarded-client-cert"]).toContain("URI=spiffe://cluster.local/ns/shop/sa/client");
    expect([await shop.server.troubles(), await shop.client.troubles()]).toEqual([[], []]);
  });
});
