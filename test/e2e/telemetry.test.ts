import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { routeType } from "../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle, startGalley, whenReady } from "./support/binnacle/server.ts";
import { main } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { OtelCollector, type ReceivedSpan, seriesName } from "./support/collector/otel-collector.ts";
import { sidecarNode } from "./support/envoy/bootstrap.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { metric } from "./support/metrics.ts";
import { onLoad } from "./support/on-load.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { SotwClient } from "./support/xds/ads-client.ts";

const describeWithCollector = await describeWith("otel-collector");
const soon = { seconds: 20 };

const service = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: reviews, namespace: default }
spec:
  hosts: [reviews.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{ number: 80, name: http, protocol: HTTP }]
  endpoints: [{ address: 127.0.0.1, labels: { version: v1 } }, { address: 127.0.0.2, labels: { version: v2 } }]
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: { name: reviews, namespace: default }
spec: { host: reviews.example, subsets: [{ name: v1, labels: { version: v1 } }, { name: v2, labels: { version: v2 } }] }
`;

/** The object begins in line 3. */
const route = (weight: number) => `# Traffic for the reviews.
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: reviews, namespace: default }
spec:
  hosts: [reviews.example]
  http:
    - route:
        - { destination: { host: reviews.example, subset: v1 }, weight: ${weight} }
        - { destination: { host: reviews.example, subset: v2 }, weight: ${100 - weight} }
`;

/** A mesh whose weights the test edits, and a server for it. */
async function startShop(resources: AsyncDisposableStack, ...args: readonly string[]) {
  const dir = resources.use(new MeshDir({ "service.yaml": service, "route.yaml": route(1) }));
  const binnacle = resources.use(await startBinnacle({ dir: dir.path, args }));
  return { dir, binnacle, edit: (weight: number) => dir.write("route.yaml", route(weight)) };
}

/** Proxies with the routes of the mesh, acknowledged. */
async function connect({ xdsPort }: BinnacleProcess, count: number): Promise<readonly SotwClient[]> {
  const clients = Array.from({ length: count }, (_, index) => {
    const id = `sidecar~127.0.0.9~client-${index}.default~default.svc.cluster.local`;
    return new SotwClient(xdsPort, { ...sidecarNode, id });
  });
  onTestFinished(() => clients.forEach((client) => client[Symbol.dispose]()));
  for (const client of clients) {
    client.subscribe(routeType, ["80"]);
    client.ack(await client.next(routeType, soon));
  }
  return clients;
}

/** The traces with a root of this name, complete: the root is sent with its children. */
function tracesIn(spans: readonly ReceivedSpan[]): readonly (readonly ReceivedSpan[])[] {
  return [...Map.groupBy(spans, ({ traceId }) => traceId).values()].filter((trace) =>
    trace.some(({ parentSpanId = "" }) => parentSpanId === ""),
  );
}

const attributesOf = (trace: readonly ReceivedSpan[], name: string) =>
  trace.find((span) => span.name === name)?.attributes;

function isInOrder(earlier: string, later: string): boolean {
  return BigInt(earlier) <= BigInt(later);
}

/** Whether the parent is in the trace, begins earlier and ends later. The root is within itself. */
function isWithinParent(span: ReceivedSpan, trace: readonly ReceivedSpan[]): boolean {
  const { parentSpanId = "" } = span;
  const parent = parentSpanId === "" ? span : trace.find(({ spanId }) => spanId === parentSpanId);
  if (parent === undefined) return false;
  return (
    isInOrder(parent.startTimeUnixNano, span.startTimeUnixNano) &&
    isInOrder(span.startTimeUnixNano, span.endTimeUnixNano) &&
    isInOrder(span.endTimeUnixNano, parent.endTimeUnixNano)
  );
}

/** The traces of edits of the route, oldest first. */
const editsIn = (collector: OtelCollector) =>
  tracesIn(collector.spans()).filter((trace) => {
    const { "binnacle.object": object, "binnacle.object.operation": operation } = attributesOf(trace, "change") ?? {};
    return object === "VirtualService/default/reviews" && operation === "updated";
  });

/** The series of `/metrics` that only pushes change. */
async function settledSeries(port: number): Promise<ReadonlyMap<string, number>> {
  const { body } = await get(port, "/metrics");
  const lines = body.matchAll(/^(?<name>[a-z]\w*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/gmu);
  return new Map(
    Array.from(lines, ({ groups = {} }) => {
      const pairs = Array.from((groups["labels"] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gu));
      const labels = Object.fromEntries(pairs.map(([, label = "", value = ""]) => [label, value]));
      return [seriesName(groups["name"] ?? "", labels), Number(groups["value"])] as const;
    }).filter(([name]) => isSettled(name)),
  );
}

/** The others change by themselves: time, memory, load, and the export itself. */
function isSettled(name: string): boolean {
  return (
    /^(?:pilot|galley|citadel|binnacle)_/u.test(name) && !/^binnacle_otlp|seconds|_bytes|uptime|load|age/u.test(name)
  );
}

/** A collector that takes connections and nothing else. */
async function silentCollector(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}

/** The chunks of a server that is ready. */
async function chunksWith(...args: readonly string[]): Promise<readonly string[]> {
  await using resources = new AsyncDisposableStack();
  const dir = resources.use(new MeshDir({ "service.yaml": service }));
  const told = onLoad(`process.getBuiltinModule("node:fs").writeSync(2, "loaded " + url + "\\n");`);
  const ports = ["xds", "http", "metrics"].flatMap((flag) => [`--${flag}`, "127.0.0.1:0"]);
  const all = ["--import", told, main, "serve", dir.path, "--ctrlz", "off", ...ports, ...args];
  const binnacle = resources.use(await whenReady(new Child(process.execPath, all)));
  const urls = binnacle.linesLike(/^loaded file:/u).map((line) => line.replace(/^loaded .*\//u, ""));
  return urls.map((name) => name.replace(/-[\w-]{8}\.js$/u, "")).toSorted();
}

describeWithCollector("traces and metrics by OTLP", () => {
  const rig = shared(async (resources) => {
    const collector = resources.use(await OtelCollector.start());
    const args = ["--otlp-endpoint", collector.endpoint, "--otlp-metrics-interval", "500ms"];
    return { collector, ...(await startShop(resources, ...args, "--desk", "off")) };
  });

  test("an edit of a weight is one trace: its spans nest, name file and line, and count the bytes of the proxies", async () => {
    const { collector, binnacle, edit } = rig();
    const clients = await connect(binnacle, 3);
    const before = clients.map(({ stream }) => stream.receivedBytes);
    const known = editsIn(collector).length;
    edit(20);
    for (const client of clients) client.ack(await client.next(routeType, soon));
    const trace = await eventually("the trace", () => editsIn(collector)[known], soon);

    expect(trace.map(({ name }) => name)).toEqual(
      [
        ["change", "read", "commit", "debounce", "generate", "push RDS", "acknowledge"],
        clients.map(() => "slow proxy"),
      ].flat(),
    );
    expect(attributesOf(trace, "change")?.["binnacle.object.place"]).toMatch(/mesh\/route\.yaml:3$/u);
    const received = clients.map(({ stream }, index) => stream.receivedBytes - (before[index] ?? 0));
    expect(attributesOf(trace, "push RDS")).toMatchObject({
      "binnacle.push.bytes": received.reduce((sum, bytes) => sum + bytes, 0),
      "binnacle.push.proxies": clients.length,
      "binnacle.push.responses": clients.length,
      "binnacle.push.resources": clients.length,
    });
    expect(attributesOf(trace, "acknowledge")).toMatchObject({
      "binnacle.push.proxies": clients.length,
      "binnacle.push.acknowledged": clients.length,
      "binnacle.push.behind": 0,
    });
    expect(trace.filter((span) => !isWithinParent(span, trace)).map(({ name }) => name)).toEqual([]);
    expect(new Set(trace.map(({ resource }) => resource["service.name"]))).toEqual(new Set(["binnacle"]));
  });

  test("a rejection is an error of the trace, with the words of the proxy and the line of the object", async () => {
    const { collector, binnacle, edit } = rig();
    const [good, bad] = await connect(binnacle, 2);
    if (good === undefined || bad === undefined) throw new Error("no proxies");
    const known = editsIn(collector).length;
    edit(30);
    good.ack(await good.next(routeType, soon));
    bad.nack(await bad.next(routeType, soon), "weights are odd");
    const trace = await eventually("the trace", () => editsIn(collector)[known], soon);
    const rejection = trace.find(({ name }) => name === "rejection");
    expect(rejection?.status).toMatchObject({ code: 2, message: expect.stringContaining("weights are odd") });
    expect(rejection?.status?.message).toMatch(/VirtualService\/default\/reviews .*route\.yaml:3/u);
    expect(rejection?.attributes).toMatchObject({ "binnacle.proxy.nodes": [expect.stringContaining("client-1")] });
    expect(trace.find(({ name }) => name === "change")?.status?.code).toBe(2);
  });

  test("metrics arrive with the names and values of /metrics", async () => {
    const { collector, binnacle } = rig();
    const { expected, found } = await eventually(
      "equal values",
      async () => {
        const expected = await settledSeries(binnacle.metricsPort);
        const received = collector.series();
        const found = new Map([...received].filter(([name]) => isSettled(name)));
        const isEqual =
          expected.size === found.size && [...expected].every(([name, value]) => found.get(name) === value);
        return isEqual && { expected, found };
      },
      soon,
    );
    expect(expected.size).toBeGreaterThan(100);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    const pushes = collector.metrics().find(({ name }) => name === "pilot_xds_pushes")?.sum;
    expect(pushes).toMatchObject({ isMonotonic: true, aggregationTemporality: 2 });
  });

  test("a server that stops sends the trace of its last change first", async () => {
    const { collector } = rig();
    await using resources = new AsyncDisposableStack();
    const { binnacle, edit } = await startShop(
      resources,
      "--otlp-endpoint",
      collector.endpoint,
      "--otlp-service-name",
      "stopped",
    );
    const [client] = await connect(binnacle, 1);
    const known = editsIn(collector).length;
    edit(40);
    client?.ack(await client.next(routeType, soon));
    await binnacle.stop();
    expect(editsIn(collector).length).toBe(known + 1);
  });

  test("Galley alone sends its metrics", async () => {
    const { collector } = rig();
    await using resources = new AsyncDisposableStack();
    const dir = resources.use(new MeshDir({ "service.yaml": service }));
    const args = ["--otlp-endpoint", collector.endpoint, "--otlp-metrics-interval", "200ms"];
    const galley = ["--source", `file:${dir.path}`, "--otlp-service-name", "galley"];
    resources.use(await startGalley(...galley, ...args));
    const names = await eventually(
      "metrics of Galley",
      () => {
        const names = collector.metrics("galley").map(({ name }) => name);
        return names.length > 0 && names;
      },
      soon,
    );
    expect(names).toContain("galley_runtime_processor_snapshots_published_total");
    expect(names).not.toContain("pilot_xds_pushes");
  });
});

describe("a collector that is dead or does not answer", () => {
  test.each([
    ["dead", async () => 1],
    ["silent", silentCollector],
  ])("a %s collector delays no push, costs one warning, and does not hold up the stop", async (_, portOf) => {
    await using resources = new AsyncDisposableStack();
    const endpoint = `http://127.0.0.1:${await portOf()}`;
    const args = ["--otlp-endpoint", endpoint, "--otlp-timeout", "100ms", "--otlp-metrics-interval", "50ms"];
    const { binnacle, edit } = await startShop(resources, ...args);
    const [client] = await connect(binnacle, 1);
    if (client === undefined) throw new Error("no proxy");
    await binnacle.logged("telemetry not accepted");
    const before = await metric(binnacle.metricsPort, "pilot_xds_pushes", 'type="rds"');
    for (let weight = 2; weight <= 11; weight++) {
      edit(weight);
      client.ack(await client.next(routeType, soon));
    }
    expect(await metric(binnacle.metricsPort, "pilot_xds_pushes", 'type="rds"')).toBe(before + 10);
    expect(await metric(binnacle.metricsPort, "binnacle_otlp_sent_total")).toBe(0);
    expect(await metric(binnacle.metricsPort, "binnacle_part_failures_total")).toBe(0);
    await binnacle.stop();
    expect(await binnacle.exited).toBe(0);
    expect(binnacle.timesSaid("telemetry not accepted")).toBe(1);
  });
});

describe("the files that a server loads", () => {
  test("without --otlp-endpoint nothing of telemetry is loaded, and with it one file more", async () => {
    const off = await chunksWith();
    const on = await chunksWith("--otlp-endpoint", "http://127.0.0.1:1");
    expect(off).toContain("server");
    expect(off).not.toContain("telemetry");
    expect(on.filter((name) => !off.includes(name))).toEqual(["telemetry"]);
    expect(on).toHaveLength(off.length + 1);
  });
});
