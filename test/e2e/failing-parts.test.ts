import { expect, onTestFinished, test } from "vitest";
import { defaultOptions } from "../../src/app/options/options.ts";
import { wire } from "../../src/app/wire.ts";
import { kinds } from "../../src/config/kinds.ts";
import { MemorySource } from "../../src/galley/source/memory-source.ts";
import { collectionOf, configIn } from "../../src/testing/config/configs-in.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { quickClock } from "../../src/testing/quick-clock.ts";
import { FaultyLogger } from "../../src/testing/recording/faulty-logger.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { clusterType } from "../../src/xds/type-urls.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { get, portOf } from "./support/http.ts";
import { SotwClient } from "./support/xds/ads-client.ts";

const anyPort = "127.0.0.1:0";
const soon = { seconds: 30 };

function fail(): never {
  throw new Error("planted");
}

/** A server in this process, whose inner parts a test can break while it runs. */
async function startServer() {
  const tree = await TempTree.create();
  const logger = new FaultyLogger();
  const source = new MemorySource({ name: "test", collections: kinds.map(({ collection }) => collection) });
  const options = {
    ...defaultOptions(),
    xds: anyPort,
    http: anyPort,
    metrics: anyPort,
    ctrlz: anyPort,
    sources: [],
    // Six seconds of the quick clock.
    drainMs: 300_000,
    // Measured by a quick clock, a first answer seems to cost so much that the next proxy would have to wait.
    streamsPerSecond: 1_000,
    readinessFile: `${tree.directory}/ready`,
  };
  const wired = wire(options, { clock: quickClock, logger, version: "test", ownSources: [source] });
  onTestFinished(async () => {
    await wired.lifecycle.stop();
    await tree.close();
  });
  put(source, "before");
  await wired.lifecycle.start();
  return { ...wired, source, logger };
}

type Running = Awaited<ReturnType<typeof startServer>>;

function put(source: MemorySource, name: string): void {
  const config = configIn(`
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ${name}, namespace: shop }
spec:
  hosts: [${name}.example.com]
  resolution: STATIC
  ports: [{ number: 80, name: http, protocol: HTTP }]
  endpoints: [{ address: 10.0.0.1 }]
`);
  source.set(collectionOf(config), config);
}

/** Breaks a property, or every call of it. */
function breakGetter(target: object, name: string): void {
  Object.defineProperty(target, name, { get: fail });
}

function breakConflictLog({ logger, source }: Running): void {
  logger.failOn("reference leads nowhere");
  const config = configIn(`
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: lost, namespace: shop }
spec: { hosts: [lost.example.com], http: [{ route: [{ destination: { host: nowhere.example.com } }] }] }
`);
  source.set(collectionOf(config), config);
}

interface Fault {
  readonly part: string;
  readonly plant: (running: Running) => void;
  /** A page whose visit meets the fault. */
  readonly page?: string;
}

const faults: readonly Fault[] = [
  { part: "analysis", plant: ({ source }) => breakGetter(source, "collections") },
  { part: "issue log", plant: ({ processor }) => breakGetter(processor, "issues") },
  { part: "clash log", plant: ({ processor }) => breakGetter(processor, "clashes") },
  { part: "problem log", plant: ({ galley }) => breakGetter(galley, "problems") },
  { part: "registry events", plant: ({ processor }) => breakGetter(processor, "outputs") },
  { part: "conflicts", plant: breakConflictLog },
  { part: "metric binnacle_config_issues", plant: ({ processor }) => breakGetter(processor, "issues") },
  { part: "readiness-file", plant: ({ processor }) => breakGetter(processor, "health") },
  { part: "pages", plant: ({ processor }) => breakGetter(processor, "issues"), page: "/debug/issues" },
  { part: "xds log", plant: ({ logger }) => logger.failOn("proxy connected") },
];

test.each(faults)(
  "a throw in $part is counted and logged, and proxies are served",
  async ({ part, plant, page = "/ready" }) => {
    const running = await startServer();
    const { addresses } = running.listeners;
    using old = new SotwClient(portOf(addresses.xds), gatewayNode);
    old.subscribe(clusterType);
    old.ack(await old.next(clusterType, soon));

    plant(running);
    put(running.source, "after");
    await get(portOf(addresses.http), page);

    using newcomer = new SotwClient(portOf(addresses.xds), gatewayNode);
    newcomer.subscribe(clusterType);
    for (const client of [old, newcomer]) {
      const names = async () =>
        JSON.stringify((await client.next(clusterType, soon)).resources.map(({ value }) => [...value]));
      expect(await names()).toContain(JSON.stringify([...Buffer.from("after.example.com")]).slice(1, -1));
    }
    const counter = `binnacle_part_failures_total{part="${part}"}`;
    const counted = async () => (await get(portOf(addresses.metrics), "/metrics")).body.includes(counter);
    await eventually(counter, counted, soon);
    expect(running.logger.lines).toContainEqual(
      expect.objectContaining({
        level: "error",
        message: "part failed, the rest goes on",
        fields: expect.objectContaining({ part, err: expect.objectContaining({ message: "planted" }) }),
      }),
    );
  },
);
