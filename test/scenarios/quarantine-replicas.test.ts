import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { decodeRefusals, encodeRefusals } from "../../src/app/quarantine/refusal-document.ts";
import { keepRefusals } from "../../src/app/quarantine/shared-refusals.ts";
import { quarantineFeed } from "../../src/app/xds/quarantine-feed.ts";
import { type ConfigId, configId } from "../../src/config/config.ts";
import type { DocumentStore } from "../../src/lib/document-store.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { gateway, has, PoisonedMesh, route } from "./quarantine/poisoned-mesh.ts";
import { base, day, id, serve, SharedStore, unexpected } from "./quarantine/stored-mesh.ts";

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
  expect([told, feed.conditions().map(({ object }) => object)]).toEqual([1, [id]]);
  // The second replica never searched.
  expect(two.setting.mesh.observer.searches).toEqual([]);
  await two.setting.apply(route(1, "mended"));
  await two.settle();
  await one.setting.apply(route(1, "mended"));
  await one.settle();
  expect([one, two].map(({ setting }) => setting.refused)).toEqual([[], []]);
  expect([first, second].map((envoy) => has(envoy, "mended"))).toEqual([true, true]);
});

/** The objects in the document; undefined without a document that can be used. */
function storedIn({ stored }: SharedStore): readonly ConfigId[] | undefined {
  return decodeRefusals(stored?.content ?? "")?.refusals.map(({ object }) => object);
}

/** Two replicas that share a store. The first has found vs-1; its second version has not arrived at the other one. */
async function refusalBeforeVersion(...objects: readonly string[]) {
  const store = new SharedStore();
  const one = await serve(store, ...base, ...objects);
  const two = await serve(store, ...base, ...objects);
  const [first, second] = [one.setting.connect("delta", gateway(0)), two.setting.connect("delta", gateway(1))];
  await one.settle();
  await two.settle();
  await one.setting.apply(route(1, "poison"));
  const stored = () => storedIn(store);
  return { one, two, first, second, stored };
}

test("a replica that hears of a refusal before the refused version arrives does not end it for all", async () => {
  const { one, two, second, stored } = await refusalBeforeVersion(route(1, "first"));
  await two.settle();
  // An edit of another object arrives first.
  await two.setting.apply(route(0, "edited"));
  await two.settle();
  await one.settle();
  expect(stored()).toEqual([id]);
  expect(one.setting.refused).toEqual([`${id}: earlier version`]);
  expect(has(second, "first")).toBe(true);
  await two.setting.apply(route(1, "poison"));
  await two.settle();
  expect([stored(), two.setting.refused]).toEqual([[id], [`${id}: earlier version`]]);
  // Its proxy confirms the refusal, and does not find it anew.
  const refusal = { id, node: gateway(0).nodeId, confirmedBy: gateway(1).nodeId };
  expect(two.quarantine.report().refusals).toMatchObject([refusal]);
  await two.setting.apply(route(1, "mended"));
  await two.settle();
  expect([stored(), has(second, "mended")]).toEqual([[], true]);
});

test("a replica uses a refusal of a new object when the object arrives", async () => {
  const { two, second, stored } = await refusalBeforeVersion();
  await two.settle();
  expect([stored(), two.setting.refused]).toEqual([[id], []]);
  await two.setting.apply(route(1, "poison"));
  await two.settle();
  expect([stored(), two.setting.refused]).toEqual([[id], [`${id}: nothing`]]);
  expect([two.setting.mesh.observer.searches, has(second, "poison")]).toEqual([[], false]);
});

test("a refused version that never arrives at a replica does not stop it from trying its own version", async () => {
  const { two, second, stored } = await refusalBeforeVersion(route(1, "first"));
  await two.settle();
  two.setting.mesh.clock.advance(30_000);
  await two.settle();
  expect([stored(), two.setting.refused, has(second, "first")]).toEqual([[], [], true]);
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
  expect(storedIn(store)?.toSorted()).toEqual([id, configId("VirtualService", "shop", "vs-2")]);
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
  expect(storedIn(store)?.toSorted()).toEqual([id, configId("VirtualService", "shop", "vs-2")]);
});

test("a document that somebody deletes is written again at once", async () => {
  const store = new SharedStore();
  const { setting, settle } = await serverThatFound(store);
  store.remove();
  await settle();
  expect(setting.refused).toEqual([`${id}: earlier version`]);
  expect(storedIn(store)).toHaveLength(1);
});

test("a document that somebody altered is replaced, also when nothing is refused any more", async () => {
  const store = new SharedStore();
  const { setting, settle } = await serverThatFound(store);
  store.beforeWrite = () => store.put("altered");
  await setting.apply(route(1, "mended"));
  await settle();
  expect([setting.refused, storedIn(store)]).toEqual([[], []]);
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
  expect(storedIn(store)).toHaveLength(1);
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
  const keeper = keepRefusals({ quarantine, store, clock, timeOfDay, logger, onFailure: unexpected });
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
  expect(storedIn(store)).toHaveLength(1);
});

async function otherText({ quarantine }: Awaited<ReturnType<typeof serve>>): Promise<{ readonly stored: string }> {
  const store = new SharedStore();
  const keeper = keepRefusals({
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
