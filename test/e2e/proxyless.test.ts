import { describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { freePort } from "./support/free-port.ts";
import { type GrpcClient, startGrpcClient } from "./support/grpc/grpc-client.ts";
import { startGrpcEcho } from "./support/grpc/grpc-echo.ts";
import { type GrpcKind, grpcPeerNames } from "./support/grpc/grpc-peer.ts";
import { startGrpcServer } from "./support/grpc/grpc-server.ts";
import { grpcServiceYaml, openGrpcShop, reviewsRoutes, reviewsSplit } from "./support/grpc/grpc-shop.ts";
import { describeWith } from "./support/peers.ts";

const describeWithGrpc = await describeWith(...grpcPeerNames);
const kinds = ["js", "go", "python"] as const;
const reviews = "xds:///reviews.shop.svc.cluster.local:9080";

const everyMatch = reviewsRoutes(`- match: [{headers: {x-user: {exact: jason}}}]
  route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v2}}]
- match: [{uri: {prefix: /grpc.health.v1.Health/}, headers: {x-cut: {prefix: "yes"}}, method: {exact: POST}}]
  directResponse: {status: 403}
- match: [{withoutHeaders: {x-beta: {exact: "off"}}, headers: {x-beta-user: {regex: "y.s"}}}]
  route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v2}}]
- match: [{headers: {x-lost: {exact: "yes"}}}]
  route:
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v1}, weight: 50}
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v9}, weight: 50}
- match: [{queryParams: {q: {exact: "1"}}}, {method: {exact: GET}}, {uri: {exact: /elsewhere}}]
  route: [{destination: {host: nobody.shop.svc.cluster.local}}]
- route:
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v1}, weight: 80}
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v2}, weight: 20}`);

/** Until calls go where the new configuration sends them. */
function untilAnsweredBy(name: string, client: GrpcClient) {
  return eventually(`all calls reach ${name}`, async () => (await client.many(20)).get(name) === 20, { seconds: 20 });
}

function connect(kind: GrpcKind, target: string, { xdsPort }: BinnacleProcess) {
  return startGrpcClient(kind, { target, xdsPort });
}

describeWithGrpc("a real gRPC client without proxy", () => {
  describe.each(kinds)("%s", (kind) => {
    test("sends calls where the YAML says", async () => {
      await using shop = await openGrpcShop(everyMatch);
      await using binnacle = await startBinnacle({ dir: shop.mesh.path });
      await using client = await connect(kind, reviews, binnacle);

      const split = await client.many(500);
      expect([...split.keys()].toSorted()).toEqual(["v1", "v2"]);
      // 20 % of 500 with a standard deviation of 8.9: six of them on either side.
      expect(Math.abs((split.get("v2") ?? 0) - 100)).toBeLessThan(54);
      expect(await client.many(20, { headers: { "x-user": "jason" } })).toEqual(new Map([["v2", 20]]));
      const beta = { "x-beta-user": "yes" };
      expect(await client.many(20, { headers: beta })).toEqual(new Map([["v2", 20]]));
      expect(await client.many(20, { headers: { ...beta, "x-beta": "on" } })).toEqual(new Map([["v2", 20]]));
      const off = await client.many(100, { headers: { ...beta, "x-beta": "off" } });
      expect([...off.keys()].toSorted()).toEqual(["v1", "v2"]);
      expect(await client.many(5, { headers: { "x-cut": "yes!" } })).toEqual(new Map([["UNAVAILABLE", 5]]));
      // Half of these go to a subset that nobody has described.
      const lost = await client.many(30, { headers: { "x-lost": "yes" } });
      expect([...lost.keys()].toSorted()).toEqual(["UNAVAILABLE", "v1"]);
      expect(binnacle.log()).not.toContain("rejected a response");
    });

    test("follows edits, survives a broken one, and takes the mended one", async () => {
      await using shop = await openGrpcShop(reviewsSplit(100, 0));
      await using binnacle = await startBinnacle({ dir: shop.mesh.path });
      await using client = await connect(kind, reviews, binnacle);
      await untilAnsweredBy("v1", client);

      shop.mesh.write("routes.yaml", reviewsSplit(0, 100));
      await untilAnsweredBy("v2", client);

      shop.mesh.write("routes.yaml", reviewsSplit(100, 0).replace("weight: 100", "weight: lots"));
      await eventually("the error names the file", () => binnacle.log().includes("routes.yaml"), {
        seconds: 20,
      });
      expect(await client.many(50)).toEqual(new Map([["v2", 50]]));

      shop.mesh.remove("routes.yaml");
      await eventually("both versions answer", async () => (await client.many(20)).size === 2, {
        seconds: 20,
      });
      shop.mesh.write("routes.yaml", reviewsSplit(100, 0));
      await untilAnsweredBy("v1", client);
      expect(binnacle.log()).not.toContain("rejected a response");
    });

    test("tries again as often as it is told, and no more", async () => {
      const patient = `- retries: {attempts: 3, retryOn: "5xx,unavailable"}
  route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v1}}]`;
      await using shop = await openGrpcShop(reviewsRoutes(patient), { failFirst: 5 });
      await using binnacle = await startBinnacle({ dir: shop.mesh.path });
      await using client = await connect(kind, reviews, binnacle);
      expect(await client.many(1)).toEqual(new Map([["UNAVAILABLE", 1]]));
      expect(shop.v1.requests()).toBe(4);
      expect(await client.many(1)).toEqual(new Map([["v1", 1]]));
      expect(shop.v1.requests()).toBe(6);
    });

    test("gives up a call after the timeout of its route", async () => {
      const hasty = `- timeout: 300ms
  route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v1}}]`;
      await using shop = await openGrpcShop(reviewsRoutes(hasty), { delayMs: 3_600_000 });
      await using binnacle = await startBinnacle({ dir: shop.mesh.path });
      await using client = await connect(kind, reviews, binnacle);
      // Its own deadline is later than this test's.
      expect(await client.many(1, { deadlineMs: 3_600_000 })).toEqual(new Map([["DEADLINE_EXCEEDED", 1]]));
    });

    test("may write a name as short as its namespace allows, and finds names that DNS knows", async () => {
      await using shop = await openGrpcShop(reviewsSplit(100, 0));
      await using dns = await startGrpcEcho("dns");
      const resolution = { resolution: "DNS", address: "localhost" };
      shop.mesh.write("dns.yaml", grpcServiceYaml("dns", dns.port, resolution));
      await using binnacle = await startBinnacle({ dir: shop.mesh.path });
      const spellings = ["reviews", "reviews.shop", "reviews.shop.svc:9080", "dns:9080"];
      const node = { id: "sidecar~127.0.0.9~web-0.shop~shop.svc.cluster.local", metadata: {} };
      const answers = spellings.map(async (spelling) => {
        const target = `xds:///${spelling}`;
        await using client = await startGrpcClient(kind, { target, xdsPort: binnacle.xdsPort, node });
        return [...(await client.many(5)).keys()];
      });
      expect(await Promise.all(answers)).toEqual([["v1"], ["v1"], ["v1"], ["dns"]]);
    });

    test("fails for a name that nobody knows, until somebody does", async () => {
      await using shop = await openGrpcShop(reviewsSplit(100, 0));
      await using binnacle = await startBinnacle({ dir: shop.mesh.path });
      await using client = await connect(kind, "xds:///late.shop:9080", binnacle);
      // How long a client hopes for a name to appear is its own affair; a call waits no longer than its deadline.
      const [failure] = (await client.many(1, { deadlineMs: 500 })).keys();
      expect(["UNAVAILABLE", "DEADLINE_EXCEEDED"]).toContain(failure);
      shop.mesh.write("late.yaml", grpcServiceYaml("late", shop.v2.port));
      await untilAnsweredBy("v2", client);
      expect(binnacle.log()).not.toContain("rejected a response");
    });

    test("serves on while the server is dead, and resumes when it is back", async () => {
      await using shop = await openGrpcShop(reviewsSplit(100, 0));
      const first = await startBinnacle({ dir: shop.mesh.path });
      await using client = await connect(kind, reviews, first);
      await untilAnsweredBy("v1", client);
      first.kill("SIGKILL");
      await first.exited;
      expect(await client.many(50)).toEqual(new Map([["v1", 50]]));
      shop.mesh.write("routes.yaml", reviewsSplit(0, 100));
      expect(await client.many(50)).toEqual(new Map([["v1", 50]]));

      await using second = await startBinnacle({ dir: shop.mesh.path, xdsPort: first.xdsPort });
      await eventually("all calls reach v2", async () => (await client.many(20)).get("v2") === 20, {
        seconds: 60,
      });
      expect(second.log()).not.toContain("rejected a response");
    });
  });
});

describeWithGrpc("a real gRPC server without proxy", () => {
  test.each(["go", "python"] as const)("serves while its service is declared, and not without, %s", async (kind) => {
    await using shop = await openGrpcShop(reviewsSplit(100, 0));
    const port = await freePort();
    const cart = grpcServiceYaml("cart", port);
    await using binnacle = await startBinnacle({ dir: shop.mesh.path });
    const node = { id: "sidecar~127.0.0.1~cart-0.shop~shop.svc.cluster.local", metadata: {} };
    await using server = await startGrpcServer(kind, { port, name: "cart", xdsPort: binnacle.xdsPort, node });
    await using client = await startGrpcClient("go", { target: `127.0.0.1:${port}`, xdsPort: binnacle.xdsPort });
    const state = async () => [...(await client.many(1)).keys()].join();
    expect(await state()).toBe("UNAVAILABLE");

    for (const [declared, expected] of [
      [true, "cart"],
      [false, "UNAVAILABLE"],
      [true, "cart"],
    ] as const) {
      if (declared) shop.mesh.write("cart.yaml", cart);
      else shop.mesh.remove("cart.yaml");
      await eventually(`${expected}\n${server.log()}`, async () => (await state()) === expected, {
        seconds: 30,
      });
    }
    await using through = await connect("go", "xds:///cart.shop:9080", binnacle);
    expect(await through.many(5)).toEqual(new Map([["cart", 5]]));
    expect(binnacle.log()).not.toContain("rejected a response");
  });
});
