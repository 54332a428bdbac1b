import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { YamlSource } from "../testing/galley/yaml-source.ts";
import {
  pageOf,
  rawClient,
  shopEntry,
  started,
  valuesOf,
  wiredGalley,
  wiredServer,
} from "../testing/server/wired-server.ts";
import { clusterType } from "../xds/type-urls.ts";

const sidecar = { id: "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local" };
const entries = "istio/networking/v1alpha3/serviceentries";

/** A server with one service, and one proxy. */
async function serving(settings: Parameters<typeof wiredServer>[0] = {}) {
  const server = wiredServer(settings);
  server.source.apply(shopEntry("reviews"));
  await started(server);
  const proxy = rawClient(server.discovery);
  proxy.ask(clusterType, sidecar);
  await server.discovery.idle();
  return { ...server, proxy };
}

function fail(): never {
  throw new Error("planted");
}

async function json(...args: Parameters<typeof pageOf>) {
  return JSON.parse((await pageOf(...args)).body);
}

describe.each([
  ["a server", wiredServer],
  ["Galley alone", wiredGalley],
])("pages of Galley, in %s", (_, wired) => {
  test("a name clash between two sources is on the pages, in the log and in the order of the sources", async () => {
    const second = new YamlSource("second");
    const server = wired({}, { ownSources: [new YamlSource("first"), second] });
    const [first] = server.sources.sources as readonly YamlSource[];
    first?.apply(shopEntry("reviews"));
    await started(server);
    second.apply(shopEntry("reviews", "10.0.0.2"));
    const clash = expect.objectContaining({ key: "shop/reviews" });
    expect(await json(server, "/debug/issues")).toMatchObject({
      sources: [{ name: "first", state: "synced" }, { name: "second" }, ...(_ === "a server" ? [{}] : [])],
      clashes: [clash],
    });
    const shared = { key: "shop/reviews", winner: "first" };
    const reports = await json(server, "/debug/sources");
    expect(reports[0]).toMatchObject({ name: "first", wins: [shared], loses: [], syncs: 1 });
    expect(reports[0].lastHeard).toEqual(expect.any(String));
    expect(reports[1]).toMatchObject({ name: "second", wins: [], loses: [shared], collections: [{ lost: 1 }] });
    expect(server.logger.lines).toContainEqual({
      level: "warn",
      message: "config name clash",
      fields: expect.objectContaining({ scope: "source", key: "shop/reviews" }),
    });
    const { [entries]: shown } = await json(server, "/debug/configz");
    expect(shown).toMatchObject([{ key: "shop/reviews", source: "first" }]);
  });

  test("introspection has the snapshots, the collections, the metrics, the scopes and the version", async () => {
    const server = await started(wired());
    const read = (topic: string) => json(server, `/${topic}j/`, { port: "ctrlz" });
    expect(await read("config")).toMatchObject({ Groups: ["default", "syntheticServiceEntry"] });
    expect(Object.keys(await read("collection"))).toEqual(_ === "a server" ? ["galley", "pilot"] : ["galley"]);
    expect(await read("metric")).toContainEqual(expect.objectContaining({ name: "istio_build" }));
    expect(await read("version")).toMatchObject({ name: "binnacle", version: "test" });
    expect(await read("scope")).toContainEqual(expect.objectContaining({ name: "xds", output_level: "info" }));
    expect(await read("arg")).toEqual(expect.any(Array));
  });

  test("every port tells the build", async () => {
    const server = await started(wired());
    const build = { name: "binnacle", version: expect.stringMatching(/./u), commit: expect.any(String) };
    expect(await json(server, "/version")).toEqual(build);
    expect(await json(server, "/version", { port: "metrics" })).toEqual(build);
    expect(await json(server, "/debug/addresses")).toEqual(server.listeners.addresses);
  });

  test.each(["http", "ctrlz"] as const)("the port %s asks viewers elsewhere who they are", async (port) => {
    const server = await started(wired());
    const path = port === "http" ? "/debug/issues" : "/configj/";
    const elsewhere = { port, headers: { "x-forwarded-for": "10.0.0.9" } };
    expect((await pageOf(server, path, elsewhere)).status).toBe(401);
    const refused = server.logger.lines.filter(({ message }) => message === "page refused");
    expect(refused.map(({ fields }) => fields)).toMatchObject([
      { scope: "server", page: path, reasons: ["client certificate: none was shown"] },
    ]);
  });

  test.each([
    ["http", "/debug/issues", "pages"],
    ["metrics", "/metrics", "pages"],
    ["ctrlz", "/collectionj/", "ctrlz"],
  ] as const)("a page of the port %s that fails is a failure of the part", async (port, path, part) => {
    const server = await started(wired());
    server.processor.health = fail;
    server.galley.describe = fail;
    server.metrics.registry.metrics = fail;
    expect(await pageOf(server, path, { port })).toEqual({
      status: 500,
      body: expect.stringContaining("internal error"),
    });
    expect(await valuesOf(server.metrics, "binnacle_part_failures_total")).toEqual([`{part="${part}"} 1`]);
    expect(server.logger.lines).toContainEqual({
      level: "error",
      message: "part failed, other parts continue",
      fields: expect.objectContaining({ scope: "server", part, path }),
    });
  });
});

describe("pages of Pilot", () => {
  test("a proxy is on the pages, since when it is connected and with its parts", async () => {
    const server = wiredServer();
    await started(server);
    const connectedAt = Date.now();
    rawClient(server.discovery).ask(clusterType, sidecar);
    await server.discovery.idle();
    const { clients } = await json(server, "/debug/connections");
    expect(clients).toMatchObject([{ node: sidecar.id, mode: "sotw", address: "127.0.0.1:1" }]);
    expect(Math.abs(Date.parse(clients[0].connectedAt) - connectedAt)).toBeLessThan(60_000);
    expect(await json(server, "/debug/cachez")).toContainEqual(expect.objectContaining({ type: "CDS", proxies: 1 }));
  });

  test("the distribution of an object says whether a change still waits for its push", async () => {
    const server = await serving({ debounceAfterMs: 100 });
    const page = "/debug/config_distribution?resource=ServiceEntry/shop/reviews";
    expect(await json(server, page)).toMatchObject({ settled: true, reference: "a.yaml:2", total: 1 });
    server.source.apply(shopEntry("reviews", "10.0.0.2"));
    server.source.apply(shopEntry("ratings"));
    expect(await json(server, page)).toMatchObject({ settled: false });
  });

  test("an operator pushes a full rebuild to every connection", async () => {
    const server = await serving();
    const push = { method: "POST", body: "push=true" };
    expect((await pageOf(server, "/debug/adsz", push)).body).toBe("pushed to 1 connections\n");
    server.clock.advance(1_000);
    await server.discovery.idle();
    expect(await valuesOf(server.metrics, "pilot_push_triggers")).toContain('{type="debug"} 1');
  });

  test("an operator ends a stream, if the settings allow it", async () => {
    const end = { method: "POST", body: `proxyID=${sidecar.id}` };
    const closed = await serving();
    expect((await pageOf(closed, "/debug/force_disconnect", end)).status).toBe(404);
    expect(closed.proxy.client.status).toBeUndefined();
    const open = await serving({ allowDisconnect: true });
    expect((await pageOf(open, "/debug/force_disconnect", end)).status).toBe(200);
    expect(open.proxy.client.status?.code).toBe(GrpcStatus.UNAVAILABLE);
  });
});
