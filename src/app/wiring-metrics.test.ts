import { describe, expect, test } from "vitest";
import type { SourceHandler } from "../galley/source/source.ts";
import { ScriptedSource } from "../testing/galley/processor-rig.ts";
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

const sidecar = { id: "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local", metadata: { ISTIO_VERSION: "1.29.6" } };

/** A source without objects, which is synced at once. */
class SyncedSource extends ScriptedSource {
  override async start(handler: SourceHandler): Promise<void> {
    await super.start(handler);
    for (const collection of this.collections) this.say({ type: "fullSync", collection });
  }
}

/** A server with one service, and one proxy that has received its clusters and has not answered yet. */
async function serving(...args: Parameters<typeof wiredServer>) {
  const server = wiredServer(...args);
  server.source.apply(shopEntry("reviews"));
  await started(server);
  const proxy = rawClient(server.discovery);
  proxy.ask(clusterType, sidecar);
  await server.discovery.idle();
  const nonceOf = (index: number) => proxy.answers[index]?.nonce ?? "";
  return { ...server, proxy, accept: (index: number) => proxy.answer(clusterType, nonceOf(index)), nonceOf };
}

type Server = Awaited<ReturnType<typeof serving>>;

/** The change of some metrics while `act` runs, by metric. Series that did not change are left out. */
async function changesOf(
  { metrics }: Pick<Server, "metrics">,
  names: readonly string[],
  act: () => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  const series = async () => {
    const lines = await Promise.all(
      names.map(async (name) => (await valuesOf(metrics, name)).map((line) => name + line)),
    );
    const kept = lines.flat().filter((line) => !line.includes("_bucket"));
    return new Map(kept.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))] as const));
  };
  const before = await series();
  await act();
  const after = await series();
  const changes = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}

describe("metrics of a change on its way to a proxy", () => {
  test("a push has its triggers, the debounce time, the queue time and the convergence time", async () => {
    const server = await serving({ debounceAfterMs: 100, debounceMaxMs: 1_000 });
    server.accept(0);
    const names = ["pilot_xds_pushes", "pilot_debounce_time", "pilot_push_triggers", "pilot_inbound_updates"];
    const times = ["pilot_proxy_queue_time", "pilot_proxy_convergence_time", "pilot_xds_push_time"];
    const changes = await changesOf(server, [...names, ...times], async () => {
      server.source.apply(shopEntry("ratings"));
      server.clock.advance(100);
      await server.discovery.idle();
    });
    expect(changes).toEqual({
      'pilot_xds_pushes{type="cds"}': 1,
      pilot_debounce_time_sum: 0.1,
      pilot_debounce_time_count: 1,
      'pilot_push_triggers{type="service"}': 1,
      'pilot_push_triggers{type="endpoint"}': 2,
      'pilot_inbound_updates{type="svc"}': 1,
      'pilot_inbound_updates{type="eds"}': 2,
      pilot_proxy_queue_time_count: 1,
      pilot_proxy_convergence_time_sum: 0.1,
      pilot_proxy_convergence_time_count: 1,
      'pilot_xds_push_time_count{type="cds"}': 1,
    });
  });

  test("a change that waits for an acknowledgement is delayed, and times out", async () => {
    const server = await serving({ debounceAfterMs: 100, ackTimeoutMs: 5_000 });
    const names = ["pilot_xds_delayed_pushes_total", "pilot_xds_delayed_push_timeouts_total"];
    const waits = await changesOf(server, names, async () => {
      server.source.apply(shopEntry("ratings"));
      server.clock.advance(100);
      await server.discovery.idle();
    });
    expect(waits).toEqual({ 'pilot_xds_delayed_pushes_total{type="cds"}': 1 });
    const leaves = await changesOf(server, names, async () => {
      server.clock.advance(5_000);
      await server.discovery.idle();
    });
    expect(leaves).toEqual({ 'pilot_xds_delayed_push_timeouts_total{type="cds"}': 1 });
    expect(server.logger.messages("warn")).toEqual(["acknowledgement overdue"]);
  });

  test("an acknowledgement of an older response has an expired nonce", async () => {
    const server = await serving({ debounceAfterMs: 100 });
    server.accept(0);
    server.source.apply(shopEntry("ratings"));
    server.clock.advance(100);
    await server.discovery.idle();
    expect(server.proxy.answers).toHaveLength(2);
    const changes = await changesOf(server, ["pilot_xds_expired_nonce"], async () => server.accept(0));
    expect(changes).toEqual({ 'pilot_xds_expired_nonce{type="cds"}': 1 });
  });

  test("services and endpoints that come, change and go are registry events", async () => {
    const server = await serving();
    const configs = "pilot_k8s_cfg_events";
    const registry = "pilot_k8s_reg_events";
    const change = (act: () => void) => changesOf(server, [configs, registry], async () => act());
    expect(await change(() => server.source.apply(shopEntry("ratings")))).toEqual({
      [`${configs}{type="ServiceEntry",event="add"}`]: 1,
      [`${registry}{type="Services",event="add"}`]: 1,
      [`${registry}{type="EndpointSlice",event="add"}`]: 1,
    });
    expect(await change(() => server.source.apply(shopEntry("ratings", "10.0.0.2")))).toEqual({
      [`${configs}{type="ServiceEntry",event="update"}`]: 1,
      [`${registry}{type="EndpointSlice",event="update"}`]: 1,
    });
    expect(await change(() => server.source.remove(shopEntry("ratings")))).toEqual({
      [`${configs}{type="ServiceEntry",event="delete"}`]: 1,
      [`${registry}{type="Services",event="delete"}`]: 1,
      [`${registry}{type="EndpointSlice",event="delete"}`]: 1,
    });
  });
});

describe("gauges of a server", () => {
  test("the mesh, its proxies and their rejections are counted", async () => {
    const server = await serving({ quarantine: false });
    const { metrics, source, proxy, nonceOf, discovery, clock, writer } = server;
    source.apply(`
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: all, namespace: shop }
spec: { hosts: [reviews.example], http: [{ route: [{ destination: { host: reviews.example } }] }] }
---
${shopEntry("nobody").replace("endpoints: [{ address: 10.0.0.1 }]", "")}
---
${shopEntry("unnamed").replace("STATIC", "DNS").replace("endpoints: [{ address: 10.0.0.1 }]", "endpoints: []")}
`);
    proxy.answer(clusterType, nonceOf(0), "planted");
    clock.advance(1_000);
    await discovery.idle();
    const series = async (name: string) => (await valuesOf(metrics, name)).join();
    expect(await series("pilot_services")).toBe("3");
    expect(await series("pilot_virt_services")).toBe("1");
    expect(await series("pilot_eds_no_instances")).toBe("1");
    expect(await series("pilot_xds")).toBe('{version="1.29.6"} 1');
    expect(await series("pilot_info")).toBe('{version="test"} 1');
    expect(await series("pilot_total_xds_rejects")).toBe('{type="cds"} 1');
    expect(await series("binnacle_rejected_resources")).toContain('object="ServiceEntry/shop/reviews"');
    expect(await series("binnacle_rejected_resources")).toContain('reference="a.yaml:2"');
    expect(await series("binnacle_parts")).toBe(String(discovery.catalogue.size));
    expect(Number(await series("binnacle_encodings_total"))).toBe(writer.encodings);
    expect([discovery.catalogue.size, writer.encodings].every((count) => count > 0)).toBe(true);
    expect(Number(await series("istiod_uptime_seconds"))).toBeGreaterThan(0);
  });

  test("each object has a series, in the gauge of its collection", async () => {
    const { metrics } = await serving();
    expect(await valuesOf(metrics, "galley_istio_networking_serviceentries")).toEqual([
      expect.stringMatching(/^\{namespace="shop",name="reviews",version="[^"]+"\} 1$/u),
    ]);
    expect(await valuesOf(metrics, "galley_runtime_state_type_instances_total")).toEqual([
      '{collection="istio/networking/v1alpha3/serviceentries"} 1',
    ]);
  });

  test("a stale source is an error, and each full sync is counted", async () => {
    const source = new SyncedSource(["k8s/networking.istio.io/v1alpha3/gateways"]);
    const server = wiredServer({ autoRegistration: false, workloadHealth: false }, { ownSources: [source] });
    const series = (name: string) => valuesOf(server.metrics, `binnacle_source_${name}`);
    await started(server);
    const one = ['{source="scripted"} 1'];
    expect([await series("syncs_total"), await series("errors_total")]).toEqual([one, []]);
    expect(await series("stale_seconds")).toEqual([]);
    for (const reason of ["planted", "planted again"]) source.say({ type: "stale", reason });
    expect([await series("syncs_total"), await series("errors_total")]).toEqual([one, ['{source="scripted"} 2']]);
    server.clock.advance(60_000);
    expect(await series("stale_seconds")).toEqual([expect.stringMatching(/^\{source="scripted"\} 6\d/u)]);
    const stale = { name: "scripted", state: "stale", reason: "planted again", errors: 2 };
    expect(JSON.parse((await pageOf(server, "/debug/sources")).body)).toContainEqual(expect.objectContaining(stale));
    expect(server.logger.lines).toContainEqual({
      level: "warn",
      message: "source stale",
      fields: { scope: "source", source: "scripted", reason: "planted" },
    });
  });

  test("istio_build lists the components inside the process", async () => {
    expect(await valuesOf(wiredServer().metrics, "istio_build")).toEqual([
      '{component="galley",tag="test"} 1',
      '{component="pilot",tag="test"} 1',
    ]);
    expect(await valuesOf(wiredGalley().metrics, "istio_build")).toEqual(['{component="galley",tag="test"} 1']);
  });
});
