import { describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { sidecarNode } from "./support/envoy/bootstrap.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { type EnvoyProcess, startEnvoy } from "./support/envoy/envoy.ts";
import { openShop, routesYaml } from "./support/envoy/shop.ts";
import { freePort } from "./support/free-port.ts";
import { startGrpcClient } from "./support/grpc/grpc-client.ts";
import { grpcPeerNames } from "./support/grpc/grpc-peer.ts";
import { grpcHost, grpcRoutes, openGrpcShop, toVersions } from "./support/grpc/grpc-shop.ts";
import { ask, get, many } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");
const describeWithGrpc = await describeWith(...grpcPeerNames);
const modes = ["sotw", "delta"] as const;
const page = "https://shop.example.com";

const always = { value: 100 };
const corsPolicy = {
  allowOrigins: [{ regex: "https://.*\\.example\\.com" }],
  allowMethods: ["GET", "PUT"],
  allowHeaders: ["x-user"],
  exposeHeaders: ["x-echo"],
  maxAge: "600s",
  allowCredentials: true,
  unmatchedPreflights: "IGNORE",
};
/** The CORS headers of an allowed call. */
const allowed = {
  "access-control-allow-origin": page,
  "access-control-allow-credentials": "true",
  "access-control-allow-methods": "GET,PUT",
  "access-control-allow-headers": "x-user",
  "access-control-max-age": "600",
};

function hostOf(name: string): string {
  return `${name}.shop.svc.cluster.local`;
}

function routes(name: string, ...http: readonly object[]): string {
  return objectYaml("VirtualService", name, { hosts: [hostOf(name)], http });
}

function to(name: string): object {
  return { route: [{ destination: { host: hostOf(name) } }] };
}

/** A fault for requests with this `x-chaos` header. */
function chaos(word: string, fault: object): object {
  return { match: [{ headers: { "x-chaos": { exact: word } } }], fault, ...to("ratings") };
}

/** The number of faults that the filters of all listeners counted. */
async function injected(what: "delays" | "aborts", envoy: EnvoyProcess): Promise<number> {
  const counts = await envoy.stats(`\\.fault\\.${what}_injected$`);
  return counts.values().reduce((sum, count) => sum + count, 0);
}

function preflight(port: number, path: string, origin: string, host: string) {
  const headers = { origin, "access-control-request-method": "PUT" };
  return ask("OPTIONS", port, path, { host, headers });
}

describeWithEnvoy("a real Envoy as sidecar", () => {
  describe.each(modes)("%s", (mode) => {
    const world = shared(async (resources) => {
      const ports = {
        ratings: await freePort(),
        page: await freePort(),
        copied: await freePort(),
        shadow: await freePort(),
      };
      const workloads = {
        ratings: resources.use(await startEcho("ratings")),
        page: resources.use(await startEcho("page")),
        copied: resources.use(await startEcho("copied")),
        shadow: resources.use(await startEcho("shadow", { status: () => 500 })),
      };
      const service = (name: keyof typeof ports) =>
        serviceYaml({ name, port: ports[name], endpoints: [{ port: workloads[name].port }] });
      const imported = (["ratings", "page", "copied"] as const).map((name) => `shop/${hostOf(name)}`);
      const mirror = { destination: { host: hostOf("shadow"), port: { number: ports.shadow } } };
      const mesh = resources.use(
        new MeshDir({
          "ratings.yaml": service("ratings"),
          "ratings-routes.yaml": routes(
            "ratings",
            chaos("abort", { abort: { httpStatus: 418, percentage: always } }),
            chaos("grpc", { abort: { grpcStatus: "DATA_LOSS", percentage: always } }),
            chaos("delay", { delay: { fixedDelay: "0.01s", percentage: always } }),
            chaos("never", { abort: { httpStatus: 418 }, delay: { fixedDelay: "600s" } }),
            to("ratings"),
          ),
          "page.yaml": service("page"),
          "page-routes.yaml": routes(
            "page",
            { match: [{ uri: { prefix: "/old" } }], redirect: { uri: "/new" }, corsPolicy },
            { ...to("page"), corsPolicy },
          ),
          "copied.yaml": service("copied"),
          "copied-routes.yaml": routes("copied", { ...to("copied"), mirrors: [mirror] }),
          "shadow.yaml": service("shadow"),
          // The mirror is not imported, so that its cluster exists only because of the route.
          "sidecar.yaml": objectYaml("Sidecar", "client", { egress: [{ hosts: imported }] }, "default"),
        }),
      );
      const binnacle = resources.use(await startBinnacle({ dir: mesh.path }));
      const envoy = resources.use(await startEnvoy({ xdsPort: binnacle.xdsPort, mode, node: sidecarNode }));
      await envoy.settled();
      return { ports, workloads, mirror, mesh, envoy };
    });

    test("injects the faults of the YAML, and none once they are removed", async () => {
      const { ports, workloads, mesh, envoy } = world();
      const { ratings } = workloads;
      const call = (word: string, type = "text/plain") =>
        get(ports.ratings, "/", { host: hostOf("ratings"), headers: { "x-chaos": word, "content-type": type } });
      expect([(await call("abort")).status, ratings.requests]).toEqual([418, 0]);
      const grpc = await call("grpc", "application/grpc");
      expect([grpc.status, grpc.headers["grpc-status"], ratings.requests]).toEqual([200, "15", 0]);
      expect([(await call("never")).status, await injected("delays", envoy)]).toEqual([200, 0]);
      expect([(await call("delay")).status, await injected("delays", envoy)]).toEqual([200, 1]);
      expect([await injected("aborts", envoy), ratings.requests]).toEqual([2, 2]);

      mesh.write("ratings-routes.yaml", routes("ratings", to("ratings")));
      const mended = async () => (await call("abort")).status === 200;
      await eventually("nothing is aborted", mended, { seconds: 20 });
      expect(await envoy.troubles()).toEqual([]);
    });

    test("answers CORS preflight requests for a service", async () => {
      const { ports, workloads, envoy } = world();
      const host = hostOf("page");
      const port = ports.page;
      expect(await preflight(port, "/", page, host)).toMatchObject({ status: 200, headers: allowed });
      const stranger = await preflight(port, "/", "https://example.org", host);
      expect(stranger.headers).not.toHaveProperty("access-control-allow-origin");
      expect(workloads.page.requests).toBe(0);

      expect(await get(port, "/", { host, headers: { origin: page } })).toMatchObject({
        status: 200,
        headers: { "access-control-allow-origin": page, "access-control-expose-headers": "x-echo", "x-echo": "page" },
      });
      // As in Istio, redirects carry the policy. Envoy accepts it, but applies it only to forwarded requests.
      const redirected = await preflight(port, "/old", page, host);
      expect(redirected.status).toBe(301);
      expect(redirected.headers).not.toHaveProperty("access-control-allow-origin");
      expect(await envoy.troubles()).toEqual([]);
    });

    test("sends copies to a mirror, and drops its answers", async () => {
      const { ports, workloads, mirror, mesh, envoy } = world();
      const { copied, shadow } = workloads;
      const call = () => many(20, ports.copied, "/", { host: hostOf("copied") });
      expect(await call()).toEqual(new Map([["copied", 20]]));
      await eventually("all copies have come", () => shadow.requests === 20, { seconds: 20 });

      const never = { ...mirror, percentage: { value: 0 } };
      mesh.write("copied-routes.yaml", routes("copied", { ...to("copied"), mirrors: [never] }));
      // Routes without the mirror come first. Then its cluster is unused.
      await envoy.waitFor(async () => (await envoy.stat("cluster_manager.cluster_removed")) === 1);
      expect(await call()).toEqual(new Map([["copied", 20]]));
      expect([copied.requests, shadow.requests]).toEqual([40, 20]);
      expect(await envoy.troubles()).toEqual([]);
    });
  });
});

describeWithEnvoy("a real Envoy as router", () => {
  test.each(modes)("injects faults, answers preflight requests and mirrors, %s", async (mode) => {
    await using shop = await openShop(
      routesYaml(`- match: [{headers: {x-chaos: {exact: abort}}}]
  fault: {abort: {httpStatus: 418, percentage: {value: 100}}}
  route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v1}}]
- corsPolicy: {allowOrigins: [{exact: "${page}"}], allowMethods: [PUT]}
  mirror: {host: ratings.shop.svc.cluster.local}
  route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v1}}]`),
    );
    await using binnacle = await startBinnacle({ dir: shop.mesh.path });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode });
    await envoy.settled();
    const authority = "shop.example.com";

    const aborted = await get(shop.port, "/", { host: authority, headers: { "x-chaos": "abort" } });
    expect(aborted.status).toBe(418);
    expect(await preflight(shop.port, "/", page, authority)).toMatchObject({
      status: 200,
      headers: { "access-control-allow-origin": page, "access-control-allow-methods": "PUT" },
    });
    expect(await many(10, shop.port, "/", { host: authority })).toEqual(new Map([["v1", 10]]));
    const { ratings } = shop.workloads;
    await eventually("all copies have come", () => ratings.requests === 10, { seconds: 20 });
    expect(await envoy.troubles()).toEqual([]);
  });
});

describeWithGrpc("a real gRPC client without proxy", () => {
  const rig = shared(async (resources) => {
    const abort = { grpcStatus: "DATA_LOSS", percentage: always };
    const toV1 = toVersions("reviews", { v1: 100 });
    const faulty = { match: [{ headers: { "x-chaos": { exact: "abort" } } }], fault: { abort }, ...toV1 };
    const shop = resources.use(await openGrpcShop(grpcRoutes("reviews", faulty, toV1)));
    return resources.use(await startBinnacle({ dir: shop.mesh.path }));
  });

  test.each(["js", "go", "python"] as const)("injects the faults of the YAML, %s", async (kind) => {
    const target = `xds:///${grpcHost("reviews")}:9080`;
    await using client = await startGrpcClient(kind, { target, xdsPort: rig().xdsPort });

    expect(await client.many(5)).toEqual(new Map([["v1", 5]]));
    expect(await client.many(5, { headers: { "x-chaos": "abort" } })).toEqual(new Map([["DATA_LOSS", 5]]));
    expect(rig().log()).not.toContain("rejected a response");
  });
});
