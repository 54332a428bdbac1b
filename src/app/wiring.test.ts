import { describe, expect, test } from "vitest";
import { debugType } from "../admin/debug-xds/debug-types.ts";
import type { View } from "../collection/collection.ts";
import type { Config } from "../config/config.ts";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { EnvoyModel, gatewayIn, settleAll } from "../testing/envoy/envoy-model.ts";
import { readEnvoyResource } from "../testing/envoy/envoy-resources.ts";
import { rawClient, started, valuesOf, wiredServer } from "../testing/server/wired-server.ts";
import { turns } from "../testing/until.ts";
import { clusterType } from "../xds/type-urls.ts";

const entries = "istio/networking/v1alpha3/serviceentries";
const entry = (name: string, address = "10.0.0.1") => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ${name}, namespace: shop }
spec:
  hosts: [${name}.example]
  resolution: STATIC
  ports: [{ number: 80, name: http, protocol: HTTP }]
  endpoints: [{ address: ${address} }]
`;
const kubeService =
  "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: shop}, spec: {ports: [{port: 80}]}}";
const sidecar = { id: "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local" };

/** A server with one object, which has been started. */
async function serving(...args: Parameters<typeof wiredServer>) {
  const server = wiredServer(...args);
  server.source.apply(entry("reviews"));
  await started(server);
  // Sinks get their snapshots later than proxies.
  server.clock.advance(10_000);
  return server;
}

type Server = Awaited<ReturnType<typeof serving>>;

async function page({ listeners }: Pick<Server, "listeners">, path: string) {
  return JSON.parse(await (await fetch(`http://${listeners.addresses.http}${path}`)).text());
}

function namesIn(view: View<Config> | undefined): readonly string[] {
  return [...(view?.values() ?? [])].map(({ name }) => name);
}

/** The value of a metric that has no labels. */
function number([line = " 0"]: readonly string[]): number {
  return Number(line.slice(line.lastIndexOf(" ")));
}

function problem(derivation: string) {
  return { derivation, input: "x", value: {}, cause: new Error("planted") };
}

/** Lets the debounce window pass, and every push leave. */
async function pushed({ clock, discovery }: Server): Promise<void> {
  clock.advance(1_000);
  await discovery.idle();
}

describe("Galley's half of a server", () => {
  test("counts events, changes, snapshots and objects", async () => {
    const server = await serving();
    const { metrics, source } = server;
    const counts = async () => ({
      events: await valuesOf(metrics, "galley_runtime_processor_events_processed_total"),
      snapshots: await valuesOf(metrics, "galley_runtime_processor_snapshots_published_total"),
      changes: await valuesOf(metrics, "galley_runtime_strategy_on_change_total"),
      configs: await valuesOf(metrics, "pilot_k8s_cfg_events"),
      updates: await valuesOf(metrics, "pilot_inbound_updates"),
      objects: await valuesOf(metrics, "binnacle_source_objects"),
      instances: await valuesOf(metrics, "galley_runtime_state_type_instances_total"),
    });
    const before = await counts();
    source.apply(entry("ratings"));
    await pushed(server);
    const after = await counts();
    expect(number(after.events) - number(before.events)).toBe(1);
    expect(number(after.snapshots) - number(before.snapshots)).toBe(1);
    expect(number(after.changes) - number(before.changes)).toBe(1);
    expect(after.configs).toContain('{type="ServiceEntry",event="add"} 2');
    expect(after.updates).not.toEqual(before.updates);
    expect(after.objects).toEqual([`{source="test",collection="k8s/networking.istio.io/v1alpha3/serviceentries"} 2`]);
    expect(after.instances).toContain(`{collection="${entries}"} 2`);
  });

  test("publishes groups to sinks with each group's strategy", async () => {
    const { clock, source, mcp } = await serving({ mcpDebounceAfterMs: 200, mcpDebounceMaxMs: 900 });
    const seen = () => namesIn(mcp.cache.view(entries)).toSorted();
    source.apply(entry("ratings"));
    expect(seen()).toEqual(["reviews"]);
    clock.advance(199);
    expect(seen()).toEqual(["reviews"]);
    clock.advance(1);
    expect(seen()).toEqual(["ratings", "reviews"]);
    const synthetic = () => mcp.cache.view("istio/networking/v1alpha3/synthetic/serviceentries")?.size;
    expect(synthetic()).toBe(0);
    source.apply(kubeService);
    expect(synthetic()).toBe(1);
  });

  test("logs accepted changes, and snapshots that cannot be delivered", async () => {
    const server = await serving();
    const { logger, source, mcp, clock } = server;
    source.apply(entry("ratings"));
    expect(logger.messages("info")).toContain("config accepted");
    mcp.cache.distribute = () => {
      throw new Error("planted");
    };
    source.apply(entry("details"));
    clock.advance(10_000);
    expect(logger.messages("error")).toEqual(["snapshot not delivered"]);
  });

  test("shows the time of a source's last event", async () => {
    const server = await serving();
    expect(await page(server, "/debug/sources")).toContainEqual(
      expect.objectContaining({ name: "test", state: "synced", lastHeard: expect.any(String) }),
    );
  });

  test("shows failures of both halves", async () => {
    const server = await serving();
    Object.defineProperty(server.galley, "problems", { get: () => [problem("galley's")] });
    Object.defineProperty(server.pilot, "problems", { get: () => [problem("pilot's")] });
    const failed = { type: "CDS", family: "outbound", part: "", cause: new Error("planted") };
    Object.defineProperty(server.discovery.catalogue, "problems", { get: () => [failed] });
    const { derivations, generators } = await page(server, "/debug/issues");
    expect(derivations).toMatchObject([{ derivation: "galley's" }, { derivation: "pilot's" }]);
    expect(generators).toMatchObject([{ type: "CDS", cause: "planted" }]);
    server.source.apply(entry("ratings"));
    const failures = server.logger.lines.filter(({ message }) => message === "derivation failed");
    expect(failures.map(({ fields }) => fields)).toMatchObject([
      { derivation: "galley's", scope: "processing" },
      { derivation: "pilot's", scope: "processing" },
    ]);
  });

  test("analyzes its configuration, with the kinds that its sources read", async () => {
    const server = await serving();
    const { source, clock, metrics } = server;
    source.apply(`
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: lost, namespace: shop }
spec: { hosts: [lost.example], gateways: [nowhere], http: [{ route: [{ destination: { host: nowhere.example } }] }] }
`);
    clock.advance(1_000);
    for (let round = 0; round < 1_000 && (await page(server, "/debug/analysis")).pending; round += 1) await turns(1);
    const { messages } = await page(server, "/debug/analysis");
    expect(messages.map(({ code }: { code: string }) => code)).toContain("IST0101");
    expect(await valuesOf(metrics, "binnacle_analyses_total")).toContainEqual(expect.stringMatching(/finished/u));
    expect((await fetch(`http://${server.listeners.addresses.http}/ready`)).status).toBe(200);
  });

  test("continues when a metric fails, counts the failure and logs it", async () => {
    const { processor, metrics, logger } = await serving({}, { droppedLines: () => 7 });
    expect(await valuesOf(metrics, "binnacle_log_dropped_lines_total")).toEqual(["7"]);
    Object.defineProperty(processor, "issues", {
      get: () => {
        throw new Error("planted");
      },
    });
    await metrics.registry.metrics();
    expect(await valuesOf(metrics, "binnacle_part_failures_total")).toContain(
      '{part="metric binnacle_config_issues"} 1',
    );
    expect(logger.messages("error")).toContain("part failed, other parts continue");
  });
});

describe("Pilot's half of a server", () => {
  test("uses --domain and --cluster-id", async () => {
    const server = await serving({ domain: "mesh.example", clusterId: "east" });
    server.source.apply(kubeService);
    expect([...server.environment.services.values()].map(({ hostname }) => hostname)).toContain(
      "a.shop.svc.mesh.example",
    );
  });

  test("debounces pushes as configured", async () => {
    const server = await serving({ debounceAfterMs: 40, debounceMaxMs: 90 });
    const { clock, source, discovery } = server;
    const sequence = () => discovery.catalogue.published.sequence;
    const first = sequence();
    source.apply(entry("ratings"));
    clock.advance(39);
    await turns(5);
    expect(sequence()).toBe(first);
    clock.advance(1);
    await turns(50);
    expect(sequence()).toBe(first + 1);
    for (let index = 0; index < 3; index += 1) {
      expect(sequence()).toBe(first + 1);
      source.apply(entry(`more-${index}`));
      clock.advance(30);
      await turns(50);
    }
    expect(sequence()).toBe(first + 2);
  });

  test("counts and logs events of proxies, in the scope xds and with the place of rejected objects", async () => {
    const server = await serving({ quarantine: false });
    const { logger, metrics, discovery } = server;
    const envoy = new EnvoyModel("sotw", readEnvoyResource, gatewayIn("shop"));
    envoy.reject = (type) => type === clusterType;
    envoy.connect(discovery);
    await settleAll([envoy], () => pushed(server));
    const rejected = logger.lines.find(({ level, message }) => level === "warn" && message.includes("reject"));
    expect(rejected?.fields).toMatchObject({ scope: "xds" });
    expect(JSON.stringify(rejected?.fields)).toContain("ServiceEntry/shop/reviews (a.yaml:2)");
    expect(await valuesOf(metrics, "pilot_total_xds_rejects")).toEqual(['{type="cds"} 1']);
  });

  test("waits for ACKs as long as configured", async () => {
    const server = await serving({ ackTimeoutMs: 5_000 });
    const proxy = rawClient(server.discovery);
    proxy.ask(clusterType, sidecar);
    await server.discovery.idle();
    server.source.apply(entry("ratings"));
    server.clock.advance(4_000);
    await server.discovery.idle();
    expect(proxy.answers).toHaveLength(1);
    server.clock.advance(1_000);
    await server.discovery.idle();
    expect(proxy.answers).toHaveLength(2);
  });

  test("waits for no ACK without flow control", async () => {
    const server = await serving({ flowControl: false });
    const proxy = rawClient(server.discovery);
    proxy.ask(clusterType, sidecar);
    await server.discovery.idle();
    server.source.apply(entry("ratings"));
    await pushed(server);
    expect(proxy.answers).toHaveLength(2);
  });

  test("refuses nodes above --max-node-bytes", async () => {
    const server = await serving({ maxNodeBytes: 100 });
    const proxy = rawClient(server.discovery);
    proxy.ask(clusterType, { ...sidecar, metadata: { note: "x".repeat(200) } });
    await server.discovery.idle();
    expect(proxy.client.status).toMatchObject({ code: expect.any(Number) });
    expect(proxy.answers).toEqual([]);
  });

  test.each([
    [true, GrpcStatus.PERMISSION_DENIED],
    [false, undefined],
  ])("compares a proxy's node with its identity if configured: %s", async (xdsIdentityCheck, code) => {
    const server = await serving({ xdsIdentityCheck });
    const peer = { address: "10.0.0.9:1", identities: ["spiffe://cluster.local/ns/other/sa/default"] };
    const proxy = rawClient(server.discovery, peer);
    proxy.ask(clusterType, sidecar);
    await server.discovery.idle();
    expect(proxy.client.status?.code).toBe(code);
  });

  test.each([true, false])("registers machines if configured: %s", async (autoRegistration) => {
    const server = await serving({ autoRegistration, xdsIdentityCheck: false });
    server.source.apply(`
apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: { name: billing, namespace: shop }
spec: { template: { serviceAccount: billing } }
`);
    const machine = rawClient(server.discovery);
    machine.ask(clusterType, { ...sidecar, metadata: { AUTO_REGISTER_GROUP: "billing" } });
    await pushed(server);
    const registered = server.processor.outputs.get("istio/networking/v1alpha3/workloadentries");
    expect(namesIn(registered)).toEqual(autoRegistration ? ["billing-10.0.0.9"] : []);
    expect(await valuesOf(server.metrics, "auto_registration_success_total")).toEqual(autoRegistration ? ["1"] : []);
  });

  test("gives configuration and debug answers to operators only", async () => {
    const server = await serving();
    let said: readonly string[] = [];
    const config = { id: "pilot-0", metadata: { GENERATOR: "api" } };
    const ask = async (peer: string, node: { readonly id: string }, type: string, names: string[] = []) => {
      const client = rawClient(server.discovery, { address: peer });
      client.ask(type, node, names);
      await pushed(server);
      said = client.answers.flatMap(({ resources }) => resources.map(({ value }) => Buffer.from(value).toString()));
      return { answers: client.answers.length, code: client.client.status?.code };
    };
    const type = "networking.istio.io/v1/ServiceEntry";
    const denied = { answers: 0, code: GrpcStatus.UNAUTHENTICATED };
    expect(await ask("127.0.0.1:1", config, type)).toEqual({ answers: 1, code: undefined });
    expect(await ask("10.0.0.9:1", config, type)).toEqual(denied);
    const shown = await ask("127.0.0.1:1", sidecar, debugType, ["configz"]);
    expect([shown, said]).toEqual([{ answers: 1, code: undefined }, [expect.stringContaining("shop/reviews")]]);
  });
});

test("sources are ordered: embedding program, mesh files, settings, registered machines", () => {
  const { sources } = wiredServer({ mesh: "mesh.yaml", sources: ["file:a"] });
  const names = sources.sources.map(({ name }) => name);
  expect([names.indexOf("test"), names.findIndex((name) => name.includes("mesh.yaml"))]).toEqual([0, 1]);
  expect([names.findIndex((name) => name.includes("file:a")), names.length]).toEqual([2, 4]);
});

test("--webhook is a part of every server", () => {
  expect(() => wiredServer({ webhook: ":9443" })).toThrow("--webhook needs --webhook-cert");
});
