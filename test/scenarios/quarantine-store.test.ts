import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { fileTextStore } from "../../src/app/quarantine/file-text-store.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { gateway, has, route } from "./quarantine/poisoned-mesh.ts";
import { base, id, serve, serveLater } from "./quarantine/stored-mesh.ts";

const soon = { seconds: 20 };

async function temporaryFile(): Promise<{ readonly file: string; readonly directory: string }> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  return { file: tree.path("state/quarantine.json"), directory: tree.path("state") };
}

/** A server that keeps its refusals in the file. It stops before the directory is removed: what is registered last ends first. */
async function serveFrom(file: string, ...objects: readonly string[]) {
  const server = await serve(fileTextStore(file), ...objects);
  onTestFinished(() => server.keeper.stop());
  return server;
}

/** A server that refuses vs-1, with an accepted version, and has written it. */
async function refusing(file: string) {
  const server = await serveFrom(file, ...base, route(1, "first"));
  server.setting.connect("delta", gateway(0));
  await server.settle();
  await server.setting.apply(route(1, "poison"));
  const written = () =>
    readdirSync(file.replace(/[^/]*$/u, "")).length === 1 && readFileSync(file, "utf8").includes("vs-1");
  await server.settleUntil("the refusal is written", written);
  await server.keeper.stop();
  return server;
}

test.each(["sotw", "delta"] as const)(
  "a restarted server keeps the accepted version for known and fresh proxies, %s",
  async (mode) => {
    const { file, directory } = await temporaryFile();
    await refusing(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(["quarantine.json"]);
    const { setting, quarantine, settleUntil } = await serveFrom(file, ...base, route(1, "poison"));
    const before = quarantine.report().refusals;
    expect(before).toMatchObject([{ id, instead: { type: "earlier version" }, node: gateway(0).nodeId }]);
    const envoy = setting.connect(mode, gateway(1));
    await setting.settle();
    expect(has(envoy, "first")).toBe(true);
    expect(setting.mesh.observer.searches).toEqual([]);
    await setting.apply(route(0, "edited"));
    expect(has(envoy, "edited")).toBe(true);
    setting.mesh.apply(route(1, "mended"));
    await settleUntil("the mended object arrives", () => has(envoy, "mended"));
    await settleUntil("nothing is refused", () => quarantine.report().refusals.length === 0);
    await settleUntil("the store is empty", () => !readFileSync(file, "utf8").includes("vs-1"));
  },
);

test("an object that was mended while the server was away is tried again on one proxy", async () => {
  const { file } = await temporaryFile();
  await refusing(file);
  const { setting, keeper, settleUntil } = await serveLater(fileTextStore(file), ...base, route(1, "mended"));
  onTestFinished(() => keeper.stop());
  expect(setting.refused).toEqual([`${id}: earlier version`]);
  const envoy = setting.connect("sotw", gateway(1));
  await settleUntil("the mended object arrives", () => has(envoy, "mended"));
  await settleUntil("nothing is refused", () => setting.refused.length === 0);
});

test("an object that was deleted while the server was away is not refused", async () => {
  const { file } = await temporaryFile();
  await refusing(file);
  const { setting } = await serveFrom(file, ...base);
  expect(setting.refused).toEqual([]);
});

test.each([
  [
    "an altered version",
    (file: string) => writeFileSync(file, readFileSync(file, "utf8").replace('"first"', '"wrong"')),
  ],
  ["half of its text", (file: string) => writeFileSync(file, readFileSync(file, "utf8").slice(0, 200))],
  ["rights for other users", (file: string) => chmodSync(file, 0o644)],
])("a file with %s is ignored, and the object is found anew", async (_, spoil) => {
  const { file } = await temporaryFile();
  await refusing(file);
  spoil(file);
  const { setting, logger, settleUntil } = await serveFrom(file, ...base, route(1, "poison"));
  expect(setting.refused).toEqual([]);
  expect(logger.lines.map(({ level }) => level)).toContain("warn");
  setting.connect("sotw", gateway(1));
  await settleUntil("the object is found", () => setting.refused.length === 1);
  expect(setting.refused).toEqual([`${id}: nothing`]);
});

test("a stopped server has written its last refusal, and writes nothing more", async () => {
  const { file } = await temporaryFile();
  const { setting, keeper, settle } = await serveFrom(file, ...base, route(1, "first"), route(2, "first"));
  setting.connect("delta", gateway(0));
  await settle();
  setting.mesh.apply(route(1, "poison"));
  await eventually("the object is found", () => setting.settle().then(() => setting.refused.length === 1), soon);
  await keeper.stop();
  expect(readFileSync(file, "utf8")).toContain("vs-1");
  await setting.apply(route(2, "poison"));
  await settle();
  expect(setting.refused).toHaveLength(2);
  setting.mesh.clock.advance(60_000);
  await keeper.stop();
  expect(readFileSync(file, "utf8")).not.toContain("vs-2");
});
