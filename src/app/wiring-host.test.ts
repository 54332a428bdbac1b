import { existsSync, mkdirSync, rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { ScriptedSource } from "../testing/galley/processor-rig.ts";
import { YamlSource } from "../testing/galley/yaml-source.ts";
import { pageOf, passing, shopEntry, started, valuesOf, wiredServer } from "../testing/server/wired-server.ts";
import { TempTree } from "../testing/temp-tree.ts";
import { turns, until } from "../testing/until.ts";

async function tree(): Promise<TempTree> {
  const made = await TempTree.create();
  onTestFinished(() => made.close());
  return made;
}

test("keys of tokens are read before the first port is open", async () => {
  const { clock, lifecycle, logger } = wiredServer({
    jwtIssuer: "https://issuer.example",
    jwtJwks: "/nowhere/jwks.json",
    logLevel: { server: "debug" },
  });
  await expect(passing(clock, lifecycle.start())).rejects.toThrow(/^--jwt-jwks: .*\/nowhere\/jwks/u);
  const components = logger.lines.filter(({ fields }) => "component" in fields);
  expect(components).toEqual([]);
});

test("a component has the drain time and five seconds more to stop", async () => {
  const source = new YamlSource("test");
  source.stop = () => new Promise(() => undefined);
  const { clock, lifecycle, logger } = await started(wiredServer({ drainMs: 3_000 }, { ownSources: [source] }));
  await expect(passing(clock, lifecycle.stop())).rejects.toBeInstanceOf(AggregateError);
  const failed = logger.lines.filter(({ message }) => message === "not stopped");
  expect(failed.map(({ fields }) => fields)).toMatchObject([
    {
      scope: "server",
      component: "processing",
      err: expect.objectContaining({ message: "processing did not stop within 8000 ms" }),
    },
  ]);
});

test("probe files are written twice as often as the settings say, and removed", async () => {
  const files = await tree();
  const [livenessFile, readinessFile] = [files.path("live"), files.path("ready")];
  const server = await started(wiredServer({ livenessFile, readinessFile, probeIntervalMs: 4_000 }));
  server.clock.advance(2_000);
  for (const file of [livenessFile, readinessFile]) {
    rmSync(file);
    server.clock.advance(1_999);
    expect(existsSync(file)).toBe(false);
    server.clock.advance(1);
    expect(existsSync(file)).toBe(true);
  }
  await passing(server.clock, server.lifecycle.stop());
  expect([livenessFile, readinessFile].filter(existsSync)).toEqual([]);
  server.clock.advance(10_000);
  expect([livenessFile, readinessFile].filter(existsSync)).toEqual([]);
});

test("the readiness file goes when a part is no longer ready, the liveness file stays", async () => {
  const files = await tree();
  const [livenessFile, readinessFile] = [files.path("live"), files.path("ready")];
  const { clock, discovery } = await started(wiredServer({ livenessFile, readinessFile }));
  clock.advance(2_000);
  expect([livenessFile, readinessFile].map(existsSync)).toEqual([true, true]);
  discovery.stop();
  clock.advance(2_000);
  expect([livenessFile, readinessFile].map(existsSync)).toEqual([true, false]);
});

test.each(["livenessFile", "readinessFile"] as const)(
  "a %s that cannot be written is a failure of the part",
  async (flag) => {
    const files = await tree();
    const file = files.path("probe");
    const server = await started(wiredServer({ [flag]: file }));
    server.clock.advance(2_000);
    rmSync(file);
    mkdirSync(file);
    server.clock.advance(2_000);
    const part = flag === "livenessFile" ? "liveness-file" : "readiness-file";
    expect(await valuesOf(server.metrics, "binnacle_part_failures_total")).toEqual([`{part="${part}"} 1`]);
    await passing(server.clock, server.lifecycle.stop());
    const left = server.logger.lines.filter(({ message }) => message === "probe file not removed");
    expect(left.map(({ fields }) => fields)).toMatchObject([{ scope: "server", file }]);
  },
);

test.each(["mcp", "xds"] as const)("the listener of %s is a part of readiness", async (name) => {
  const { listeners } = await started(wiredServer({ mcp: "127.0.0.1:0" }));
  const { addresses } = listeners;
  expect(await pageOf({ listeners }, "/ready")).toEqual({ status: 200, body: "ready\n" });
  Object.defineProperty(listeners, "addresses", { get: () => ({ ...addresses, [name]: "" }) });
  expect(await pageOf({ listeners: { addresses } }, "/ready")).toEqual({
    status: 503,
    body: `waiting for ${name}: listener ${name}\n`,
  });
});

test("the first push is a part of readiness", async () => {
  const server = await started(wiredServer());
  server.discovery.stop();
  expect(await pageOf(server, "/ready")).toEqual({ status: 503, body: "waiting for xds: first push\n" });
});

test("a source that has not synced is a part of readiness, and snapshots after it", async () => {
  const source = new ScriptedSource(["k8s/networking.istio.io/v1alpha3/gateways"]);
  const server = wiredServer({ autoRegistration: false }, { ownSources: [source] });
  onTestFinished(() => passing(server.clock, server.lifecycle.stop()));
  const ready = server.lifecycle.start();
  await until(() => server.processor.health()[0]?.state === "syncing");
  expect((await pageOf(server, "/ready")).body).toContain("processing: source scripted");
  source.say({ type: "fullSync", collection: "k8s/networking.istio.io/v1alpha3/gateways" });
  await passing(server.clock, ready);
  expect(await pageOf(server, "/ready")).toEqual({ status: 200, body: "ready\n" });
});

test("a stopped server stops its sources", async () => {
  const told: string[] = [];
  const source = new YamlSource("test");
  source.stop = async () => void told.push("stopped");
  const { clock, lifecycle } = await started(wiredServer({}, { ownSources: [source] }));
  await passing(clock, lifecycle.stop());
  expect(told).toEqual(["stopped"]);
});

test("a stopped server does not end its analysis", async () => {
  const server = await started(wiredServer());
  const finished = async () =>
    (await valuesOf(server.metrics, "binnacle_analyses_total")).filter((series) => series.includes("finished"));
  server.clock.advance(1_000);
  while ((await finished()).length === 0) await turns(1);
  const before = await finished();
  server.source.apply(shopEntry("reviews"));
  server.clock.advance(1_000);
  await passing(server.clock, server.lifecycle.stop());
  await turns(200);
  expect(await finished()).toEqual(before);
});
