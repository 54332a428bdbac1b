import { expect, test } from "vitest";
import { claimMatch, everyAction, everyMatch } from "./routes/every-feature.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode, sidecarNode } from "./support/envoy/bootstrap.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { ask, get, many } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");
const reviews = "reviews.shop.svc.cluster.local";
const carts = "carts.shop.svc.cluster.local";
const to = (host: string, subset?: string) => ({ route: [{ destination: { host, subset } }] });

/** Two versions of the reviews, and carts, on one port; what is said of routes is the test's. */
async function openMesh(port: number, files: Readonly<Record<string, string>>) {
  const echoes = await Promise.all(["v1", "v2", "carts"].map((name) => startEcho(name)));
  const [v1, v2, cart] = echoes;
  if (v1 === undefined || v2 === undefined || cart === undefined) throw new Error("three were started");
  const versions = [v1, v2].map((echo) => ({ port: echo.port, labels: { version: echo.name } }));
  const mesh = new MeshDir({
    "reviews.yaml": serviceYaml({ name: "reviews", port, endpoints: versions }),
    "carts.yaml": serviceYaml({ name: "carts", port, endpoints: [{ port: cart.port }] }),
    ...files,
  });
  const close = async () => {
    mesh[Symbol.dispose]();
    await Promise.all(echoes.map((echo) => echo.stop()));
  };
  return { path: mesh.path, write: mesh.write.bind(mesh), [Symbol.asyncDispose]: close };
}

/** Requests to the reviews stay where a cookie sends them. */
const sticking = objectYaml("DestinationRule", "reviews", {
  host: reviews,
  trafficPolicy: { loadBalancer: { consistentHash: { httpCookie: { name: "who", ttl: "60s", path: "/" } } } },
  subsets: ["v1", "v2"].map((version) => ({ name: version, labels: { version } })),
});

describeWithEnvoy("routes in a real Envoy", () => {
  test("sidecars and routers accept every match and every action", async () => {
    const [port, publicPort] = [await freePort(), await freePort()];
    const http = [...everyMatch, ...everyAction];
    await using mesh = await openMesh(port, {
      "sticking.yaml": sticking,
      "gateway.yaml": objectYaml("Gateway", "edge", {
        selector: { app: "gw" },
        servers: [{ port: { number: publicPort, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
      }),
      "inside.yaml": objectYaml("VirtualService", "inside", { hosts: [reviews], http }),
      "outside.yaml": objectYaml("VirtualService", "outside", {
        hosts: ["*"],
        gateways: ["edge"],
        http: [claimMatch, ...http],
      }),
    });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    await using sidecar = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta", node: sidecarNode });
    await using router = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "sotw", node: gatewayNode });
    await Promise.all([sidecar.settled(), router.settled()]);

    for (const at of [port, publicPort]) {
      expect((await get(at, "/said", { host: reviews })).body).toBe("said at once");
      expect((await get(at, "/delegated-nowhere", { host: reviews })).headers["x-echo"]).toMatch(/^v[12]$/u);
    }
    expect([await sidecar.troubles(), await router.troubles()]).toEqual([[], []]);
    const page = JSON.parse((await get(binnacle.httpPort, "/debug/conflicts")).body) as unknown;
    const missing = { object: "VirtualService/shop/inside", type: "delegate", name: "shop/missing" };
    expect(page).toMatchObject({
      proxies: 2,
      conflicts: [],
      dangling: expect.arrayContaining([expect.objectContaining(missing)]) as unknown,
    });
  });

  test("requests follow matches, delegates, rewrites and hashes, and an edited delegate", async () => {
    const port = await freePort();
    await using mesh = await openMesh(port, {
      "sticking.yaml": sticking,
      "root.yaml": objectYaml("VirtualService", "root", {
        hosts: [reviews],
        http: [
          { match: [{ uri: { prefix: "/carts" } }], delegate: { name: "carts", namespace: "teams" } },
          {
            match: [{ uri: { regex: "/user/\\d+/.*" } }],
            rewrite: { uriRegexRewrite: { match: "^/user/(\\d+)/(.*)$", rewrite: "/\\2/of/\\1" } },
            ...to(reviews),
          },
          {
            match: [{ uri: { exact: "/teapot" } }],
            directResponse: { status: 418, body: { string: "short and stout" } },
          },
          to(reviews),
        ],
      }),
      "delegate.yaml": objectYaml(
        "VirtualService",
        "carts",
        { http: [{ rewrite: { uri: "/new" }, ...to(carts) }] },
        "teams",
      ),
      "wild.yaml": objectYaml("VirtualService", "wild", { hosts: ["*.svc.cluster.local"], http: [to(carts)] }),
    });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta", node: sidecarNode });
    await envoy.settled();
    const told = async (path: string, host = reviews) => JSON.parse((await get(port, path, { host })).body) as unknown;

    expect(await told("/carts/1")).toMatchObject({ name: "carts", path: "/new/1" });
    expect(await told("/user/7/books")).toMatchObject({ path: "/books/of/7" });
    const teapot = await get(port, "/teapot", { host: "reviews.shop" });
    expect([teapot.status, teapot.body]).toEqual([418, "short and stout"]);
    // The closest name decides: the wildcard is for all others.
    expect(await told("/", carts)).toMatchObject({ name: "carts" });

    const [set] = (await get(port, "/", { host: reviews })).headers["set-cookie"] ?? [];
    expect(set).toMatch(/^who="?\w+"?; Max-Age=60; Path=\//u);
    const cookie = set?.split(";")[0] ?? "";
    expect([...(await many(30, port, "/", { host: reviews, headers: { cookie } })).values()]).toEqual([30]);
    const strangers = new Set<string | undefined>();
    for (let i = 0; i < 40; i += 1) {
      strangers.add((await get(port, "/", { host: reviews })).headers["x-echo"]?.toString());
    }
    expect(strangers).toEqual(new Set(["v1", "v2"]));

    mesh.write(
      "delegate.yaml",
      objectYaml("VirtualService", "carts", { http: [{ rewrite: { uri: "/newer" }, ...to(carts) }] }, "teams"),
    );
    await envoy.waitFor(async () => ((await told("/carts/1")) as { path: string }).path === "/newer/1");
    expect((await ask("OPTIONS", port, "/", { host: reviews })).status).toBe(200);
    expect(await envoy.troubles()).toEqual([]);
  });
});
