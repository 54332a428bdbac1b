import { expect, test } from "vitest";
import { passing, started, valuesOf, wiredGalley } from "../testing/server/wired-server.ts";
import { turns } from "../testing/until.ts";

const gateways = "istio/networking/v1alpha3/gateways";
const gateway = (name: string) => `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: ${name}, namespace: shop }
spec: { servers: [{ port: { number: 80, name: http, protocol: HTTP }, hosts: ["*"] }] }
`;
const kubeService =
  "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: shop}, spec: {ports: [{port: 80}]}}";

async function serving(...args: Parameters<typeof wiredGalley>) {
  const server = wiredGalley(...args);
  server.source.apply(gateway("edge"));
  await started(server);
  server.clock.advance(10_000);
  return server;
}

test("Galley publishes groups to sinks with each group's strategy, and counts snapshots", async () => {
  const { clock, source, mcp, metrics } = await serving({ mcpDebounceAfterMs: 200, mcpDebounceMaxMs: 900 });
  const total = async (name: string) => Number((await valuesOf(metrics, name))[0] ?? 0);
  const counts = async () => ({
    events: await total("galley_runtime_processor_events_processed_total"),
    snapshots: await total("galley_runtime_processor_snapshots_published_total"),
    quiet: await total("galley_runtime_strategy_timer_quiesce_reached_total"),
  });
  const before = await counts();
  source.apply(gateway("inner"));
  clock.advance(199);
  expect(mcp.cache.view(gateways)?.size).toBe(1);
  clock.advance(1);
  expect(mcp.cache.view(gateways)?.size).toBe(2);
  const { events, snapshots, quiet } = before;
  expect(await counts()).toEqual({ events: events + 1, snapshots: snapshots + 1, quiet: quiet + 1 });
  source.apply(kubeService);
  expect(mcp.cache.view("istio/networking/v1alpha3/synthetic/serviceentries")?.size).toBe(1);
});

test("Galley completes hostnames with --domain", async () => {
  const { source, processor } = await serving({ domain: "mesh.example" });
  source.apply(kubeService);
  const synthetic = processor.outputs.get("istio/networking/v1alpha3/synthetic/serviceentries");
  expect(JSON.stringify([...(synthetic?.values() ?? [])].map(({ spec }) => spec))).toContain("a.shop.svc.mesh.example");
});

test("Galley logs a snapshot that cannot be delivered", async () => {
  const { source, mcp, logger, clock } = await serving();
  mcp.cache.distribute = () => {
    throw new Error("planted");
  };
  source.apply(gateway("inner"));
  clock.advance(10_000);
  expect(logger.messages("error")).toEqual(["snapshot not delivered"]);
});

test("a stopped Galley publishes nothing, and ignores events", async () => {
  const { clock, source, mcp, processor, lifecycle } = await serving({ mcpDebounceAfterMs: 200 });
  source.apply(gateway("inner"));
  await passing(clock, lifecycle.stop());
  clock.advance(10_000);
  expect(mcp.cache.view(gateways)?.size).toBe(1);
  source.apply(gateway("late"));
  expect(processor.outputs.get(gateways)?.size).toBe(2);
});

test("a Galley waits for its first snapshots before it is ready", async () => {
  const server = wiredGalley({ mcpDebounceAfterMs: 60_000, mcpDebounceMaxMs: 60_000 });
  const started = server.lifecycle.start();
  for (let round = 0; round < 50; round++) {
    server.clock.advance(10);
    await turns(1);
  }
  const ready = async () => (await fetch(`http://${server.listeners.addresses.http}/ready`)).text();
  expect(await ready()).toContain("snapshot default");
  await passing(server.clock, started);
  expect(await ready()).toBe("ready\n");
  await passing(server.clock, server.lifecycle.stop());
});

test("Galley analyzes its configuration", async () => {
  const { clock, source, metrics, listeners } = await serving();
  source.apply(`
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: lost, namespace: shop }
spec: { hosts: [lost.example], gateways: [nowhere], http: [{ route: [{ destination: { host: nowhere.example } }] }] }
`);
  clock.advance(1_000);
  const page = async () =>
    JSON.parse(await (await fetch(`http://${listeners.addresses.http}/debug/analysis`)).text()) as {
      readonly pending: boolean;
      readonly messages: readonly { readonly code: string }[];
    };
  for (let round = 0; round < 1_000 && (await page()).pending; round += 1) await turns(1);
  expect((await page()).messages.map(({ code }) => code)).toContain("IST0101");
  expect(await valuesOf(metrics, "binnacle_analysis_messages")).not.toEqual([]);
});

test("Galley starts with sources of the embedding program only, and with a webhook only", () => {
  expect(() => wiredGalley()).not.toThrow();
  expect(() => wiredGalley({ webhook: ":9443" }, { ownSources: [] })).toThrow("--webhook needs --webhook-cert");
});
