import { expect, onTestFinished, test } from "vitest";
import { createControlPlane } from "../../src/app/control-plane.ts";
import { kinds } from "../../src/config/kinds.ts";
import { MemorySource } from "../../src/galley/source/memory-source.ts";
import { collectionOf, configsIn } from "../../src/testing/config/configs-in.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { gatewayMesh, ingressLabels } from "../../src/testing/mesh/gateway-mesh.ts";
import { quickClock } from "../../src/testing/quick-clock.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { clusterType, listenerType } from "../../src/xds/type-urls.ts";
import { get, portOf } from "./support/http.ts";
import { SotwClient } from "./support/xds/ads-client.ts";

/** `npm run crowd` asks for more. */
const gateways = process.env["BINNACLE_WHOLE"] === undefined ? 1_000 : 10_000;
const bound = { seconds: process.env["BINNACLE_WHOLE"] === undefined ? 60 : 1_800 };

const router = {
  id: "router~127.0.0.1~gw-0.crowd~crowd.svc.cluster.local",
  metadata: { NAMESPACE: "crowd", LABELS: ingressLabels },
};

interface AnalysisPage {
  readonly pending: boolean;
  readonly total: number;
}

test("a server with very many Gateways serves a router, and survives analysis and conflicts", async () => {
  const source = new MemorySource({ name: "test", collections: kinds.map(({ collection }) => collection) });
  const configs = configsIn([...gatewayMesh(gateways)].join("\n---\n"));
  source.batch(() => configs.forEach((config) => source.set(collectionOf(config), config)));
  const logger = new RecordingLogger();
  const anyPort = "127.0.0.1:0";
  const ports = {
    xds: anyPort,
    http: anyPort,
    metrics: anyPort,
    ctrlz: "off",
    streamsPerSecond: 1_000,
    drainMs: 300_000,
  };
  const plane = createControlPlane({ ...ports, sources: [], ownSources: [source], clock: quickClock, logger });
  onTestFinished(() => plane.stop());
  const addresses = await plane.start();

  using client = new SotwClient(portOf(addresses.xds), router);
  client.subscribe(clusterType);
  const clusters = await client.next(clusterType, bound);
  expect(clusters.resources.length).toBeGreaterThanOrEqual(gateways);
  client.ack(clusters);
  client.subscribe(listenerType);
  const listeners = await client.next(listenerType, bound);
  expect(listeners.resources).toHaveLength(2);
  client.ack(listeners);

  const page = async () => JSON.parse((await get(portOf(addresses.http), "/debug/analysis")).body) as AnalysisPage;
  const { total } = await eventually(
    "analysis",
    async () => {
      const now = await page();
      return now.pending || now.total === 0 ? undefined : now;
    },
    bound,
  );
  expect(total).toBeLessThan(5 * gateways);
  await eventually("conflicts", () => logger.messages("warn").includes("conflict"), bound);
  const conflictLines = logger.lines.filter(({ message }) => message === "conflict");
  expect(conflictLines.length).toBeLessThan(gateways);
  for (const { fields } of conflictLines) expect(JSON.stringify(fields).length).toBeLessThan(5_000);
  expect(logger.messages("error")).toEqual([]);
  expect((await get(portOf(addresses.http), "/ready")).status).toBe(200);
});
