import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { configId } from "../../src/config/config.ts";
import { decodeRefusals, encodeRefusals } from "../../src/app/quarantine/refusal-document.ts";
import { fileTextStore } from "../../src/app/quarantine/file-text-store.ts";
import { RefusalKeeper } from "../../src/app/quarantine/refusal-keeper.ts";
import { quarantineFeed } from "../../src/app/xds/quarantine-feed.ts";
import type { DocumentStore, StoredDocument } from "../../src/lib/document-store.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { gateway, has, PoisonedMesh, route, service, theGateway } from "./quarantine/poisoned-mesh.ts";

const base = [theGateway, service("backend"), route(0, "good")];
const id = configId("VirtualService", "shop", "vs-1");
const bound = { seconds: 20 };
const day = 1_800_000_000_000;

function unexpected(error: unknown): never {
  throw error;
}

/** A store that several replicas share, in memory. */
class SharedStore implements DocumentStore<string> {
  stored: StoredDocument<string> | undefined;
  #revisions = 0;
  readonly #watchers = new Set<() => void>();
  /** Runs before the next write, as a faster replica does. */
  beforeWrite: () => void = () => undefined;
  /** The answers of the store wait for it. */
  answers: Promise<unknown> = Promise.resolve();

  async read(): Promise<StoredDocument<string> | undefined> {
    const { stored } = this;
    await this.answers;
    return stored;
  }

  async replace(previous: string | undefined, text: string): Promise<StoredDocument<string>> {
    await this.answers;
    this.beforeWrite();
    this.beforeWrite = () => undefined;
    if (previous === this.stored?.revision) this.put(text);
    return this.stored ?? { content: "", revision: "0" };
  }

  put(text: string): void {
    this.#revisions += 1;
    this.stored = { content: text, revision: String(this.#revisions) };
    this.tell();
  }

  remove(): void {
    this.stored = undefined;
    this.tell();
  }

  tell(): void {
    for (const changed of this.#watchers) changed();
  }

  watch(onChange: () => void): { stop(): void } {
    this.#watchers.add(onChange);
    return { stop: () => this.#watchers.delete(onChange) };
  }
}

/** A server whose refusals are in this store. */
async function serve(store: DocumentStore<string>, ...objects: readonly string[]) {
  const setting = await PoisonedMesh.start(...objects);
  const { discovery, clock } = setting.mesh;
  const logger = new RecordingLogger();
  if (discovery.quarantine === undefined) throw new Error("no quarantine");
  const { quarantine } = discovery;
  const keeper = new RefusalKeeper({
    quarantine,
    store,
    clock,
    timeOfDay: () => day + clock.now(),
    logger,
    onFailure: unexpected,
  });
  await keeper.start();
  const settle = async () => {
    await setting.settle();
    await setting.settle();
  };
  return { setting, quarantine, keeper, logger, settle };
}

async function temporaryFile(): Promise<{ readonly file: string; readonly directory: string }> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  return { file: tree.path("state/quarantine.json"), directory: tree.path("state") };
}

/** A server that refuses vs-1, with an accepted version, and has written it. */
async function refusing(file: string) {
  const server = await serve(fileTextStore(file), ...base, route(1, "first"));
  server.setting.connect("delta", gateway(0));
  await server.settle();
  await server.setting.apply(route(1, "poison"));
  const written = () =>
    readdirSync(file.replace(/[^/]*$/u, "")).length === 1 && readFileSync(file, "utf8").includes("vs-1");
  await eventually(
    "the refusal is written",
    async () => {
      await server.setting.settle();
      return written();
    },
    bound,
  );
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
    const { setting, quarantine, settle } = await serve(fileTextStore(file), ...base, route(1, "poison"));
    const before = quarantine.report().refusals;
    expect(before).toMatchObject([{ id, instead: { type: "earlier version" }, node: gateway(0).nodeId }]);
    const envoy = setting.connect(mode, gateway(1));
    await settle();
    expect(has(envoy, "first")).toBe(true);
    expect(setting.mesh.observer.searches).toEqual([]);
    await setting.apply(route(0, "edited"));
    expect(has(envoy, "edited")).toBe(true);
    await setting.apply(route(1, "mended"));
    expect(has(envoy, "mended")).toBe(true);
    expect(quarantine.report().refusals).toEqual([]);
    await eventually(
      "the store is empty",
      async () => {
        await settle();
        return !readFileSync(file, "utf8").includes("vs-1");
      },
      bound,
    );
  },
);

test("an object that was mended while the server was away is tried again on one proxy", async () => {
  const { file } = await temporaryFile();
  await refusing(file);
  const { setting, settle } = await serve(fileTextStore(file), ...base, route(1, "mended"));
  expect(setting.refused).toEqual([`${id}: earlier version`]);
  const envoy = setting.connect("sotw", gateway(1));
  await settle();
  expect(has(envoy, "mended")).toBe(true);
  expect(setting.refused).toEqual([]);
});

test("an object that was deleted while the server was away is not refused", async () => {
  const { file } = await temporaryFile();
  await refusing(file);
  const { setting } = await serve(fileTextStore(file), ...base);
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
  const { setting, logger, settle } = await serve(fileTextStore(file), ...base, route(1, "poison"));
  expect(setting.refused).toEqual([]);
  expect(logger.lines.map(({ level }) => level)).toContain("warn");
  setting.connect("sotw", gateway(1));
  await settle();
  expect(setting.refused).toEqual([`${id}: nothing`]);
});

test("replicas share refusals, and end them together", async () => {
  const store = new SharedStore();
  const [one, two] = [await serve(store, ...base, route(1, "good")), await serve(store, ...base, route(1, "good"))];
  const [first, second] = [one.setting.connect("delta", gateway(0)), two.setting.connect("delta", gateway(1))];
  await one.settle();
  await two.settle();
  two.setting.spoil("no-probe", [second]);
  let told = 0;
  const feed = quarantineFeed(two.setting.mesh);
  feed.listen(() => {
    told += 1;
  });
  await one.setting.apply(route(1, "poison"));
  await one.settle();
  two.setting.mesh.apply(route(1, "poison"));
  await two.settle();
  expect([one, two].map(({ setting }) => setting.refused)).toEqual([
    [`${id}: earlier version`],
    [`${id}: earlier version`],
  ]);
  // The status of objects hears of it.
  expect([told, feed.objects().map(({ object }) => object)]).toEqual([1, [id]]);
  // The second replica never searched.
  expect(two.setting.mesh.observer.searches).toEqual([]);
  await two.setting.apply(route(1, "mended"));
  await two.settle();
  await one.setting.apply(route(1, "mended"));
  await one.settle();
  expect([one, two].map(({ setting }) => setting.refused)).toEqual([[], []]);
  expect([first, second].map((envoy) => has(envoy, "mended"))).toEqual([true, true]);
});

test("a write after a faster replica keeps the refusals of both", async () => {
  const store = new SharedStore();
  const one = await serve(store, ...base, route(1, "poison"));
  const two = await serve(new SharedStore(), ...base, route(2, "poison"));
  two.setting.connect("delta", gateway(0, "1.31.0"));
  await two.settle();
  const { stored } = await otherText(two);
  store.beforeWrite = () => store.put(stored);
  one.setting.connect("delta", gateway(0));
  await one.settle();
  expect(
    decodeRefusals(store.stored?.content ?? "")
      ?.map(({ object }) => object)
      .toSorted(),
  ).toEqual([id, configId("VirtualService", "shop", "vs-2")]);
});

/** A server that found vs-1 on its only gateway. */
async function serverThatFound(store: DocumentStore<string>) {
  const server = await serve(store, ...base, route(1, "first"));
  const envoy = server.setting.connect("delta", gateway(0));
  await server.settle();
  await server.setting.apply(route(1, "poison"));
  await server.settle();
  expect(server.setting.refused).toEqual([`${id}: earlier version`]);
  return { ...server, envoy };
}

test.each([
  ["somebody alters", (store: SharedStore) => store.put('{"format":"binnacle quarantine 1","refusals":[]}')],
  ["somebody empties", (store: SharedStore) => store.put("")],
])("a document that %s is ignored with a warning, and the next change replaces it", async (_, spoil) => {
  const store = new SharedStore();
  const { setting, logger, settle, envoy } = await serverThatFound(store);
  spoil(store);
  const { revision } = store.stored ?? {};
  await settle();
  expect(setting.refused).toEqual([`${id}: earlier version`]);
  expect(logger.messages("warn")).toContain("stored refusals ignored: the document was altered");
  expect([store.stored?.revision, has(envoy, "first")]).toEqual([revision, true]);
  await setting.apply(route(2, "poison"));
  await settle();
  const objects = decodeRefusals(store.stored?.content ?? "")?.map(({ object }) => object);
  expect(objects?.toSorted()).toEqual([id, configId("VirtualService", "shop", "vs-2")]);
});

test("a document that somebody deletes is written again at once", async () => {
  const store = new SharedStore();
  const { setting, settle } = await serverThatFound(store);
  store.remove();
  await settle();
  expect(setting.refused).toEqual([`${id}: earlier version`]);
  expect(decodeRefusals(store.stored?.content ?? "")).toHaveLength(1);
});

test("a refusal that was found while the store was away is written when it is back", async () => {
  const store = new SharedStore();
  const server = await serve(store, ...base, route(1, "first"));
  server.setting.connect("delta", gateway(0));
  await server.settle();
  store.answers = Promise.reject(new Error("connection refused"));
  store.answers.catch(() => undefined);
  await server.setting.apply(route(1, "poison"));
  await server.settle();
  expect(store.stored).toBeUndefined();
  expect(server.logger.messages("warn")).toEqual(["store of refused objects not usable"]);
  store.answers = Promise.resolve();
  server.setting.mesh.clock.advance(30_000);
  await server.settle();
  expect(decodeRefusals(store.stored?.content ?? "")).toHaveLength(1);
  expect(server.logger.messages("info")).toContain("store of refused objects usable again");
});

test("a server starts without a store that does not answer within 5 s, and takes its refusals later", async () => {
  const filled = new SharedStore();
  await serverThatFound(filled);
  const store = new SharedStore();
  store.put(filled.stored?.content ?? "");
  const away = Promise.withResolvers<void>();
  store.answers = away.promise;
  const setting = await PoisonedMesh.start(...base, route(1, "poison"));
  const { discovery, clock } = setting.mesh;
  if (discovery.quarantine === undefined) throw new Error("no quarantine");
  const { quarantine } = discovery;
  const logger = new RecordingLogger();
  const timeOfDay = () => day + clock.now();
  const keeper = new RefusalKeeper({ quarantine, store, clock, timeOfDay, logger, onFailure: unexpected });
  let isStarted = false;
  void keeper.start().then(() => (isStarted = true));
  clock.advance(4_999);
  await nextTurn();
  expect(isStarted).toBe(false);
  clock.advance(1);
  await nextTurn();
  expect(isStarted).toBe(true);
  expect(logger.lines).toMatchObject([{ level: "warn", fields: { reason: "no answer within 5 s" } }]);
  away.resolve();
  store.tell();
  await setting.settle();
  expect(setting.refused).toEqual([`${id}: earlier version`]);
});

test("a slow reading that began before our own write does not undo it", async () => {
  const store = new SharedStore();
  const server = await serve(store, ...base, route(1, "first"));
  server.setting.connect("delta", gateway(0));
  await server.settle();
  const slow = Promise.withResolvers<void>();
  store.answers = slow.promise;
  store.put(encodeRefusals([]));
  await nextTurn();
  store.answers = Promise.resolve();
  await server.setting.apply(route(1, "poison"));
  await server.settle();
  slow.resolve();
  await server.settle();
  expect(server.setting.refused).toEqual([`${id}: earlier version`]);
  expect(server.setting.mesh.observer.searches).toHaveLength(1);
  expect(decodeRefusals(store.stored?.content ?? "")).toHaveLength(1);
});

async function otherText({ quarantine }: Awaited<ReturnType<typeof serve>>): Promise<{ readonly stored: string }> {
  const store = new SharedStore();
  const keeper = new RefusalKeeper({
    quarantine,
    store,
    clock: (await PoisonedMesh.start(...base)).mesh.clock,
    timeOfDay: () => day,
    logger: new RecordingLogger(),
    onFailure: unexpected,
  });
  await keeper.start();
  await keeper.save();
  return { stored: store.stored?.content ?? "" };
}
