import { expect, test } from "vitest";
import { decodeRefusals } from "../../src/app/quarantine/refusal-document.ts";
import { type ConfigId, configId } from "../../src/config/config.ts";
import { gateway, object, route } from "./quarantine/poisoned-mesh.ts";
import { base, serve, SharedStore } from "./quarantine/stored-mesh.ts";

/** Four of these objects fit into a document, five do not. */
const noteLength = 200_000;
const routes = [1, 2, 3, 4, 5];

function idOf(index: number): ConfigId {
  return configId("VirtualService", "shop", `vs-${index}`);
}

/** A route with a long annotation, which is stored with the accepted version. */
function largeRoute(index: number): string {
  const { metadata, ...rest } = JSON.parse(route(index, "good")) as { readonly metadata: object };
  return JSON.stringify({ ...rest, metadata: { ...metadata, annotations: { note: "x".repeat(noteLength) } } });
}

function storedIn({ stored }: SharedStore) {
  const { refusals = [], leftOut } = decodeRefusals(stored?.content ?? "") ?? {};
  return { objects: refusals.map(({ object: id }) => id).toSorted(), leftOut };
}

function refusedBy({ quarantine }: Awaited<ReturnType<typeof serve>>): readonly ConfigId[] {
  return quarantine
    .report()
    .refusals.map(({ id }) => id)
    .toSorted();
}

/** Two replicas that share a store, and have good versions. The first one refuses one object after the other. */
async function crowdedStore() {
  const store = new SharedStore();
  const good = [...base, ...[...routes, 6].map(largeRoute)];
  const [one, two] = [await serve(store, ...good), await serve(store, ...good)];
  one.setting.connect("delta", gateway(0));
  two.setting.connect("delta", gateway(1));
  await one.settle();
  await two.settle();
  for (const index of routes) {
    await one.setting.apply(route(index, "poison"));
    await one.settle();
    await two.setting.apply(route(index, "poison"));
    await two.settle();
  }
  return { store, one, two };
}

test("a store without room for every refusal keeps the newest, and warns", async () => {
  const { store, one } = await crowdedStore();
  expect(storedIn(store)).toEqual({ objects: [2, 3, 4, 5].map(idOf), leftOut: 1 });
  const warnings = one.logger.lines.filter(({ level }) => level === "warn");
  expect(warnings).toMatchObject([
    { message: "refused objects not stored: the store has no room", fields: { leftOut: 1 } },
  ]);
});

/** The replicas of a crowded store. The second one has refused one more object, and so another one has no room. */
async function moreCrowdedStore() {
  const crowd = await crowdedStore();
  await crowd.two.setting.apply(route(6, "poison"));
  await crowd.two.settle();
  await crowd.one.settle();
  expect(storedIn(crowd.store)).toEqual({ objects: [3, 4, 5, 6].map(idOf), leftOut: 2 });
  return crowd;
}

test("no replica takes a refusal without room for one that has ended", async () => {
  const { one, two } = await moreCrowdedStore();
  expect([one, two].map(refusedBy)).toEqual([[...routes, 6].map(idOf), [...routes, 6].map(idOf)]);
  for (const { setting } of [one, two])
    expect(setting.mesh.observer.quarantine).not.toContainEqual(expect.stringContaining("released"));
});

test("a refusal that another replica had no room for is stored again", async () => {
  const { store, one, two } = await moreCrowdedStore();
  await two.keeper.stop();
  await one.setting.apply(route(6, "mended"));
  await one.settle();
  expect(storedIn(store)).toEqual({ objects: [2, 3, 4, 5].map(idOf), leftOut: 1 });
});

test("a refusal is stored as soon as another one has ended", async () => {
  const { store, one, two } = await crowdedStore();
  for (const { setting, settle } of [one, two]) {
    await setting.apply(route(5, "mended"));
    await settle();
  }
  await one.settle();
  expect(storedIn(store)).toEqual({ objects: [1, 2, 3, 4].map(idOf), leftOut: 0 });
  expect([one, two].map(refusedBy)).toEqual([[1, 2, 3, 4].map(idOf), [1, 2, 3, 4].map(idOf)]);
});

test("an object that is larger than the room does not keep others out", async () => {
  const store = new SharedStore();
  const huge = object("VirtualService", "vs-9", JSON.parse(route(9, "good")).spec as object);
  const note = { note: "x".repeat(1_000_000) };
  const { metadata, ...rest } = JSON.parse(huge) as { readonly metadata: object };
  const server = await serve(store, ...base, JSON.stringify({ ...rest, metadata: { ...metadata, annotations: note } }));
  server.setting.connect("delta", gateway(0));
  await server.settle();
  await server.setting.apply(route(1, "poison"));
  await server.settle();
  await server.setting.apply(route(9, "poison"));
  await server.settle();
  expect(storedIn(store)).toEqual({ objects: [idOf(1)], leftOut: 1 });
  expect(refusedBy(server)).toEqual([idOf(1), idOf(9)]);
});
