import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { configId } from "../../src/config/config.ts";
import type { Quarantine } from "../../src/pilot/xds/quarantine/quarantine.ts";
import { classScope } from "../../src/pilot/xds/quarantine/scope.ts";
import { gateway, has, PoisonedMesh, route, service, theGateway } from "./quarantine/poisoned-mesh.ts";

const base = [theGateway, service("backend"), route(0, "good")];
const id = configId("VirtualService", "shop", "vs-1");

function quarantineOf({ mesh }: PoisonedMesh) {
  const { quarantine } = mesh.discovery;
  if (quarantine === undefined) throw new Error("no quarantine");
  return quarantine;
}

describe.each(["sotw", "delta"] as const)("a proxy that refuses one object alone, %s", (mode) => {
  test("keeps the object from itself only, if another proxy of its class has accepted it", async () => {
    const setting = await PoisonedMesh.start(...base, route(1, "good"));
    const [liar, honest] = [setting.connect(mode, gateway(0)), setting.connect(mode, gateway(1))];
    await setting.settle();
    setting.spoil("newer", [liar]);
    setting.mesh.apply(route(1, "newer"));
    // The honest proxy answers first.
    await setting.mesh.pushed();
    while (honest.step()) await nextTurn();
    await setting.settle();
    const { refusals, classes } = quarantineOf(setting).report();
    expect(refusals).toMatchObject([{ id, instead: { type: "earlier version" }, keptFrom: 1 }]);
    const refusing = classes.find((each) => each.id === refusals[0]?.classId);
    expect(refusing?.description).toContain(gateway(0).nodeId);
    expect([liar, honest].map((envoy) => has(envoy, "newer"))).toEqual([false, true]);
    await setting.apply(route(0, "edited"));
    expect([liar, honest].map((envoy) => has(envoy, "edited"))).toEqual([true, true]);
    // Its next version reaches all.
    await setting.apply(route(1, "newest"));
    expect([liar, honest].map((envoy) => has(envoy, "newest"))).toEqual([true, true]);
    expect(quarantineOf(setting).report().refusals).toEqual([]);
  });

  test("and disconnects gets the next version with its class", async () => {
    const setting = await PoisonedMesh.start(...base, route(1, "good"));
    const [liar, honest] = [setting.connect(mode, gateway(0)), setting.connect(mode, gateway(1))];
    await setting.settle();
    setting.spoil("newer", [liar]);
    setting.mesh.apply(route(1, "newer"));
    await setting.mesh.pushed();
    while (honest.step()) await nextTurn();
    await setting.settle();
    liar.disconnect();
    await setting.settle();
    expect(quarantineOf(setting).report().refusals).toMatchObject([{ id, keptFrom: 0 }]);
    await setting.apply(route(1, "newest"));
    expect(quarantineOf(setting).report().refusals).toEqual([]);
  });

  test("keeps it from its class only until a second proxy has tried it", async () => {
    const setting = await PoisonedMesh.start(...base, route(1, "newer"));
    const liar = setting.connect(mode, gateway(0));
    setting.spoil("newer", [liar]);
    await setting.settle();
    const honest = setting.connect(mode, gateway(1));
    await setting.settle();
    expect(quarantineOf(setting).report().refusals).toMatchObject([{ id, keptFrom: 2, confirmedBy: undefined }]);
    setting.mesh.clock.advance(10_000);
    await setting.settle();
    expect([liar, honest].map((envoy) => has(envoy, "newer"))).toEqual([false, true]);
    expect(quarantineOf(setting).report().refusals).toMatchObject([{ id, keptFrom: 1 }]);
  });

  test("is believed by its class when a second proxy refuses the object, too", async () => {
    const setting = await PoisonedMesh.start(...base, route(1, "poison"));
    const [first, second] = [setting.connect(mode, gateway(0)), setting.connect(mode, gateway(1))];
    while (first.step()) await nextTurn();
    await setting.settle();
    setting.mesh.clock.advance(10_000);
    await setting.settle();
    const [refusal] = quarantineOf(setting).report().refusals;
    expect(new Set([refusal?.node, refusal?.confirmedBy])).toEqual(new Set([gateway(0).nodeId, gateway(1).nodeId]));
    expect(refusal?.keptFrom).toBe(2);
    const searches = setting.mesh.observer.searches.length;
    setting.mesh.clock.advance(60_000);
    await setting.settle();
    expect(setting.mesh.observer.searches).toHaveLength(searches);
    expect([first, second].map((envoy) => has(envoy, "good"))).toEqual([true, true]);
  });

  test("decides for its class together with a second one that refuses it alone", async () => {
    const setting = await PoisonedMesh.start(...base, route(1, "good"));
    const [one, two, honest] = [0, 1, 2].map((number) => setting.connect(mode, gateway(number)));
    if (one === undefined || two === undefined || honest === undefined) throw new Error("no proxies");
    await setting.settle();
    setting.spoil("newer", [one, two]);
    setting.mesh.apply(route(1, "newer"));
    await setting.mesh.pushed();
    while (honest.step()) await nextTurn();
    await setting.settle();
    const [refusal, ...others] = quarantineOf(setting).report().refusals;
    expect(refusal).toMatchObject({ id, keptFrom: 3 });
    expect(others).toEqual([]);
    expect([one, two, honest].map((envoy) => has(envoy, "newer"))).toEqual([false, false, false]);
  });
});

test("a proxy that does not answer a probe is given up after ten seconds", async () => {
  const setting = await PoisonedMesh.start(...base, route(1, "good"));
  const silent = setting.connect("sotw", gateway(0));
  await setting.settle();
  setting.mesh.apply(route(1, "poison"));
  await setting.mesh.pushed();
  const { quarantine } = setting.mesh.discovery;
  for (let round = 0; round < 500 && quarantine?.report().search === undefined; round++) {
    silent.step();
    await nextTurn();
  }
  const { searches } = setting.mesh.observer;
  const pass = async (ms: number) => {
    setting.mesh.clock.advance(ms);
    for (let round = 0; round < 20; round++) await nextTurn();
  };
  await pass(9_999);
  expect(searches).toEqual([]);
  await pass(1);
  expect(searches).toMatchObject([{ probes: 0, inconclusive: true }]);
  expect(setting.refused).toEqual([]);
});

test("a late rejection of a mesh that the class no longer gets blames nobody", async () => {
  const routes = Array.from({ length: 6 }, (_, index) => route(index, "good"));
  // From the end of the search on, no push leaves. Before that, its mesh becomes that of the class: a turn for each part.
  const held = Promise.withResolvers<void>();
  let refusing: Pick<Quarantine, "scopes" | "catalogues"> = { scopes: [], catalogues: [] };
  let turns = 0;
  const turn = () => {
    if (refusing.scopes.length === 0) return Promise.resolve();
    turns += 1;
    return turns > refusing.catalogues.reduce((sum, { size }) => sum + size, 0) ? held.promise : Promise.resolve();
  };
  const setting = await PoisonedMesh.startWith({ turn }, [theGateway, service("backend"), ...routes]);
  const [first, second] = [setting.connect("sotw", gateway(0)), setting.connect("sotw", gateway(1))];
  await setting.settle();
  const quarantine = quarantineOf(setting);
  refusing = quarantine;
  setting.mesh.apply([route(2, "poison"), route(3, "poison")].join("\n---\n"));
  await setting.mesh.pushed();
  setting.mesh.apply(route(5, "edited"));
  await setting.mesh.pushed();
  for (let round = 0; round < 500 && setting.mesh.observer.searches.length === 0; round++) {
    first.step();
    await nextTurn();
  }
  expect(setting.mesh.observer.searches).toHaveLength(1);
  for (let round = 0; round < 20; round++) {
    second.step();
    await nextTurn();
  }
  refusing = { scopes: [], catalogues: [] };
  held.resolve();
  await setting.settle();
  expect(setting.refused.toSorted()).toEqual(
    [2, 3].map((index) => `${configId("VirtualService", "shop", `vs-${index}`)}: earlier version`),
  );
  expect([first, second].map((envoy) => has(envoy, "edited"))).toEqual([true, true]);
});

test("a push looks only at proxies that owe an answer, and no second mesh exists while nothing is refused", async () => {
  const setting = await PoisonedMesh.start(...base, route(1, "good"));
  const envoys = Array.from({ length: 10 }, (_, number) => setting.connect("delta", gateway(number)));
  await setting.settle();
  const quarantine = quarantineOf(setting);
  expect(quarantine.unsettled).toBe(0);
  setting.mesh.apply(route(1, "newer"));
  await setting.mesh.pushed();
  expect(quarantine.unsettled).toBe(10);
  await setting.settle();
  expect(quarantine.unsettled).toBe(0);
  expect(quarantine.catalogues).toEqual([]);
  await setting.apply(route(1, "poison"));
  expect(quarantine.catalogues).toHaveLength(1);
  await setting.apply(route(1, "mended"));
  expect(quarantine.catalogues).toEqual([]);
  for (const envoy of envoys) envoy.disconnect();
});

test("a proxy of a search leaves its trial, even if another replica's refusal arrives during the search", async () => {
  const poisoned = [1, 2, 3, 4];
  const setting = await PoisonedMesh.start(...base, ...poisoned.map((index) => route(index, "good")));
  const envoy = setting.connect("sotw", gateway(0));
  await setting.settle();
  const quarantine = quarantineOf(setting);
  setting.mesh.apply(poisoned.map((index) => route(index, "poison")).join("\n---\n"));
  await setting.mesh.pushed();
  for (let round = 0; round < 100 && (quarantine.report().search?.probes ?? 0) === 0; round++) {
    envoy.step();
    await nextTurn();
  }
  expect(quarantine.report().search?.probes).toBe(1);
  const [connection] = setting.mesh.discovery.connections;
  const found = { since: 0, node: "gw-9", confirmedBy: undefined, rejected: [], probes: 1, accepted: undefined };
  if (connection === undefined) throw new Error("not connected");
  const scope = classScope(connection.client);
  const adopted = quarantine.adopt([{ ...found, scope, id, version: "1", reason: "no" }]);
  await setting.settle();
  await adopted;
  await setting.apply(...poisoned.map((index) => route(index, "mended")), route(0, "edited"));
  expect([has(envoy, "edited"), has(envoy, "mended"), has(envoy, "poison")]).toEqual([true, true, false]);
  expect([setting.refused, quarantine.catalogues]).toEqual([[], []]);
});
