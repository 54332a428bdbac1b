import { describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { openShop, routesYaml, splitYaml } from "./support/envoy/shop.ts";
import { get, many, untilAnsweredBy } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeWithEnvoy = await describeWith("envoy");
const host = "shop.example.com";
const modes = ["sotw", "delta"] as const;

const everyFeature = routesYaml(`- match: [{headers: {x-user: {exact: jason}}}]
  route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v2}}]
- match: [{uri: {exact: /old}}]
  redirect: {uri: /new, redirectCode: 302}
- match: [{uri: {prefix: /stars/}}]
  rewrite: {uri: /ratings/}
  route: [{destination: {host: ratings.shop.svc.cluster.local}}]
- route:
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v1}, weight: 80}
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v2}, weight: 20}`);

/** How the only proxy took its last routes, as our server tells it. */
async function statesOf(httpPort: number) {
  const [proxy] = JSON.parse((await get(httpPort, "/debug/syncz")).body) as readonly {
    readonly resources: Readonly<Record<string, { readonly state: string; readonly lastError?: string }>>;
  }[];
  return proxy?.resources ?? {};
}

/** Whether the only proxy has accepted everything. */
async function isSynced(httpPort: number): Promise<boolean> {
  const states = Object.values(await statesOf(httpPort));
  return states.length > 0 && states.every(({ state }) => state === "SYNCED");
}

/** The responses a server has logged so far, at the level debug. */
function pushesIn(binnacle: BinnacleProcess): readonly { readonly resources: number }[] {
  return binnacle.linesLike(/"level":"debug".*"msg":"push"/u).map((line) => JSON.parse(line));
}

/** One subset under a name of its own, and the route that uses it: renaming it replaces a cluster. */
function renamedYaml(subset: string): string {
  return `apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: colours, namespace: shop}
spec:
  host: reviews.shop.svc.cluster.local
  subsets: [{name: ${subset}, labels: {version: v1}}]
---
${routesYaml(`- route: [{destination: {host: reviews.shop.svc.cluster.local, subset: ${subset}}}]`)}`;
}

describeWithEnvoy("a real Envoy as router", () => {
  describe.each(modes)("%s", (mode) => {
    const world = shared(async (resources) => {
      const shop = resources.use(await openShop(everyFeature));
      const binnacle = resources.use(await startBinnacle({ dir: shop.mesh.path }));
      const envoy = resources.use(await startEnvoy({ xdsPort: binnacle.xdsPort, mode, stockRuntime: true }));
      await envoy.settled();
      return { shop, binnacle, envoy };
    });

    test("sends traffic where the YAML says", async () => {
      const { shop, envoy } = world();
      const split = await many(1000, shop.port, "/", { host });
      expect([...split.keys()].toSorted()).toEqual(["v1", "v2"]);
      // 20 % of 1000 with a standard deviation of 12.6: six of them on either side.
      expect(Math.abs((split.get("v2") ?? 0) - 200)).toBeLessThan(76);
      const jason = { host, headers: { "x-user": "jason" } };
      expect(await many(20, shop.port, "/", jason)).toEqual(new Map([["v2", 20]]));
      const rewritten = await get(shop.port, "/stars/5", { host });
      expect(JSON.parse(rewritten.body)).toMatchObject({ name: "ratings", path: "/ratings/5" });
      const redirected = await get(shop.port, "/old", { host });
      expect([redirected.status, redirected.headers.location]).toEqual([302, `http://${host}/new`]);
      expect(await many(1, shop.port, "/", { host: "elsewhere.example.com" })).toEqual(new Map([["404", 1]]));
      expect(await envoy.troubles()).toEqual([]);
    });

    test("follows edits, survives a broken one, and applies the fixed one", async () => {
      const { shop, binnacle, envoy } = world();
      shop.mesh.write("routes.yaml", splitYaml(100, 0));
      await untilAnsweredBy("v1", shop.port, { host });

      shop.mesh.write("routes.yaml", splitYaml(0, 100));
      await untilAnsweredBy("v2", shop.port, { host });

      const broken = splitYaml(100, 0).replace("weight: 100", "weight: lots");
      const line = broken.split("\n").findIndex((text) => text.includes("lots")) + 1;
      shop.mesh.write("routes.yaml", broken);
      const place = new RegExp(`routes\\.yaml[":,\\s]*(?:line"?:)?\\s*${line}\\b`);
      await eventually("the error names file and line", () => place.test(binnacle.log()), { seconds: 20 });
      expect(await many(50, shop.port, "/", { host })).toEqual(new Map([["v2", 50]]));

      shop.mesh.write("routes.yaml", splitYaml(100, 0));
      await untilAnsweredBy("v1", shop.port, { host });
      expect(await envoy.troubles()).toEqual([]);
    });

    test("loses no request while clusters are replaced under traffic", async () => {
      const { shop, envoy } = world();
      shop.mesh.write("routes.yaml", renamedYaml("blue"));
      await envoy.waitFor(async () => JSON.stringify(await envoy.configDump()).includes("outbound|9080|blue|"));
      await untilAnsweredBy("v1", shop.port, { host });
      const removed = await envoy.stat("cluster_manager.cluster_removed");

      const counts = new Map<string, number>();
      for (let edit = 1; edit <= 10; edit++) {
        shop.mesh.write("routes.yaml", renamedYaml(edit % 2 === 0 ? "blue" : "green"));
        await envoy.waitFor(async () => {
          for (const [who, count] of await many(50, shop.port, "/", { host })) {
            counts.set(who, (counts.get(who) ?? 0) + count);
          }
          return (await envoy.stat("cluster_manager.cluster_removed")) >= removed + edit;
        });
      }
      expect([...counts.keys()]).toEqual(["v1"]);
      expect(await envoy.troubles()).toEqual([]);
    });

    test("that rejects a change keeps its state, reports the reason, and accepts the fix", async () => {
      const { shop, binnacle, envoy } = world();
      // Routes of an earlier test may answer alike. After two changes, these routes have arrived.
      shop.mesh.write("routes.yaml", splitYaml(0, 100));
      await untilAnsweredBy("v2", shop.port, { host });
      shop.mesh.write("routes.yaml", splitYaml(100, 0));
      await untilAnsweredBy("v1", shop.port, { host });
      // The version that takes the place of a refused one is of the last moment when the proxy had accepted everything.
      await envoy.waitFor(() => isSynced(binnacle.httpPort));

      // We only warn of it: an Envoy with the bootstrap of Binnacle or of Istio takes it.
      const tooMuch = `- match: [{uri: {regex: "/a{900}"}}]\n  route: [{destination: {host: ratings.shop.svc.cluster.local}}]`;
      shop.mesh.write("routes.yaml", routesYaml(tooMuch));
      await binnacle.logged("proxy rejected a response");
      expect(JSON.parse(await binnacle.logged("object quarantined"))).toMatchObject({
        object: expect.stringContaining("VirtualService/shop/shop"),
        reason: expect.stringContaining("max program size"),
        instead: "earlier version",
      });
      // The accepted version takes its place, so nothing of the router is rejected any more.
      await envoy.waitFor(() => isSynced(binnacle.httpPort));
      expect(await many(20, shop.port, "/", { host })).toEqual(new Map([["v1", 20]]));

      shop.mesh.write("routes.yaml", splitYaml(0, 100));
      await untilAnsweredBy("v2", shop.port, { host });
      await envoy.waitFor(() => isSynced(binnacle.httpPort));
    });
  });

  test.each(modes)("continues while the control plane is down, and resumes when it is back, %s", async (mode) => {
    await using shop = await openShop(splitYaml(100, 0));
    const first = await startBinnacle({ dir: shop.mesh.path });
    await using envoy = await startEnvoy({ xdsPort: first.xdsPort, mode });
    await envoy.settled();
    await untilAnsweredBy("v1", shop.port, { host });

    first.kill("SIGKILL");
    await first.exited;
    await envoy.waitFor(async () => (await envoy.stat("control_plane.connected_state")) === 0);
    expect(await many(50, shop.port, "/", { host })).toEqual(new Map([["v1", 50]]));

    await using second = await startBinnacle({
      dir: shop.mesh.path,
      xdsPort: first.xdsPort,
      args: ["--log-level", "debug"],
    });
    await envoy.settled();
    await eventually("all four types are answered", () => pushesIn(second).length >= 4, { seconds: 10 });
    const resent = pushesIn(second).reduce((sum, { resources }) => sum + resources, 0);
    expect(resent > 0).toBe(mode === "sotw");
    expect(await many(50, shop.port, "/", { host })).toEqual(new Map([["v1", 50]]));
    shop.mesh.write("routes.yaml", splitYaml(0, 100));
    await untilAnsweredBy("v2", shop.port, { host });
    expect(await envoy.troubles()).toEqual([]);
    expect(second.log()).not.toMatch(/rejected a response/);
  });
});
