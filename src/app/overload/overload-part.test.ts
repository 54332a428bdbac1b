import { expect, onTestFinished, test } from "vitest";
import type { SourceReport } from "../../admin/galley/sources.ts";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import type { Pressure } from "../../lib/overload/pressure.ts";
import { pageOf, rawClient, shopEntry, started, valuesOf, wiredServer } from "../../testing/server/wired-server.ts";
import { turns } from "../../testing/until.ts";
import { clusterType } from "../../xds/type-urls.ts";
import type { PressureMeter } from "./process-pressure.ts";

const sidecarNode = { id: "sidecar~10.0.0.1~cart-0.shop~shop.svc.cluster.local" };

/** Measures what a test sets. */
class PlannedPressure implements PressureMeter {
  readonly heapLimitBytes = Number.POSITIVE_INFINITY;
  heap = 0;
  isRunning = false;
  collected: () => void = () => undefined;

  start(onCollected: () => void): void {
    this.isRunning = true;
    this.collected = onCollected;
  }

  measure(): Omit<Pressure, "queueMs"> {
    const resident = { usedBytes: 0, limitBytes: Number.POSITIVE_INFINITY };
    return { loopDelayMs: 0, heap: { usedBytes: this.heap, limitBytes: 100 }, resident };
  }

  stop(): void {
    this.isRunning = false;
  }
}

async function loadedServer() {
  const pressure = new PlannedPressure();
  const server = await started(wiredServer({ streamsPerSecond: 1_000 }, { pressure }));
  server.source.apply(shopEntry("before"));
  const settle = async () => {
    server.clock.advance(10);
    await turns(20);
  };
  await settle();
  const connect = () => {
    const client = rawClient(server.discovery);
    client.ask(clusterType, sidecarNode);
    return client;
  };
  return { ...server, pressure, connect, settle };
}

test("a loaded server refuses new streams, keeps the others, and accepts new ones again when the load is over", async () => {
  const { pressure, clock, connect, settle, logger, metrics, listeners, source, discovery } = await loadedServer();
  const old = connect();
  await settle();
  expect(old.answers).toHaveLength(1);
  old.answer(clusterType, old.answers[0]?.nonce ?? "");

  pressure.heap = 91;
  clock.advance(500);
  const refused = connect();
  expect(refused.client.status).toEqual({
    code: GrpcStatus.UNAVAILABLE,
    message: "the server is overloaded: the heap is 91 % of 0 MiB full; try again in 5000 ms, or another replica",
  });
  expect(logger.lines).toContainEqual({
    level: "warn",
    message: "load has changed",
    fields: {
      scope: "server",
      level: "high",
      before: "normal",
      reason: "the heap is 91 % of 0 MiB full",
      advice: expect.stringContaining("--max-old-space-size") as string,
    },
  });
  expect(await valuesOf(metrics, "binnacle_overload_level")).toEqual(["2"]);
  expect(await valuesOf(metrics, "binnacle_shed_work_total")).toEqual(['{class="streams"} 1']);
  expect(await pageOf({ listeners }, "/ready")).toMatchObject({ status: 200 });
  expect(await pageOf({ listeners }, "/debug/syncz")).toMatchObject({ status: 503 });
  expect(await pageOf({ listeners }, "/debug/overload")).toMatchObject({ status: 200 });

  source.apply(shopEntry("after"));
  clock.advance(200);
  await settle();
  expect(old.answers).toHaveLength(1);
  const sources = JSON.parse((await pageOf({ listeners }, "/debug/sources")).body) as readonly SourceReport[];
  expect(sources.map(({ leftOut }) => leftOut)).toEqual([1, 0]);

  source.apply(shopEntry("before").replace("number: 80", "number: 81"));
  clock.advance(200);
  await settle();
  expect(discovery.connections.size).toBe(1);
  expect(old.answers).toHaveLength(2);

  pressure.heap = 10;
  clock.advance(20 * 500);
  await settle();
  expect(await pageOf({ listeners }, "/ready")).toMatchObject({ body: "ready\n" });
  expect(connect().client.status).toBeUndefined();
  expect(logger.messages("info")).toContain("load is normal again");
  expect(await pageOf({ listeners }, "/debug/syncz")).toMatchObject({ status: 200 });
});

test("the load is measured after each full garbage collection, not only from time to time", async () => {
  const { pressure, connect } = await loadedServer();
  pressure.heap = 96;
  pressure.collected();
  expect(connect().client.status?.code).toBe(GrpcStatus.UNAVAILABLE);
});

test("a stopped server measures no more", async () => {
  const pressure = new PlannedPressure();
  const { lifecycle, clock } = await started(wiredServer({}, { pressure }));
  expect(pressure.isRunning).toBe(true);
  onTestFinished(() => clock.advance(0));
  await lifecycle.stop();
  expect(pressure.isRunning).toBe(false);
});
