import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { configId } from "../../src/config/config.ts";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { endpointType } from "../../src/xds/type-urls.ts";
import { gateway, has, PoisonedMesh, route, service, theGateway } from "./quarantine/poisoned-mesh.ts";

const base = [theGateway, service("backend"), route(0, "good")];
const id = configId("VirtualService", "shop", "vs-1");

function reportOf({ mesh }: PoisonedMesh) {
  const { quarantine } = mesh.discovery;
  if (quarantine === undefined) throw new Error("no quarantine");
  return quarantine.report();
}

function connectAll(setting: PoisonedMesh, mode: "sotw" | "delta", count: number): readonly EnvoyModel[] {
  return Array.from({ length: count }, (_, number) => setting.connect(mode, gateway(number)));
}

async function pass(setting: PoisonedMesh, seconds: number): Promise<void> {
  setting.mesh.clock.advance(seconds * 1_000);
  await setting.settle();
}

/** The proxy disconnects so often that it is no longer trusted. */
async function flap({ mesh }: PoisonedMesh, envoy: EnvoyModel): Promise<void> {
  for (let time = 0; time < 4; time++) {
    envoy.disconnect();
    envoy.connect(mesh.discovery);
    await mesh.pushed();
  }
}

/** Lets streams run, a tenth of a second in each round. */
async function rounds(setting: PoisonedMesh, envoys: readonly EnvoyModel[], count: number, look = () => {}) {
  for (let round = 0; round < count; round++) {
    await setting.mesh.pushed();
    await nextTurn();
    while (envoys.map((envoy) => envoy.step()).some(Boolean)) await nextTurn();
    look();
  }
}

/** A refused object is mended, and one proxy has it already. */
async function firstWave(mode: "sotw" | "delta") {
  const setting = await PoisonedMesh.start(...base, route(1, "poison"));
  const envoys = connectAll(setting, mode, 4);
  await setting.settle();
  setting.mesh.apply(route(1, "mended"));
  for (let round = 0; round < 20 && !envoys.some((envoy) => has(envoy, "mended")); round++) {
    await rounds(setting, envoys, 1);
  }
  const [canary, ...more] = envoys.filter((envoy) => has(envoy, "mended"));
  if (canary === undefined || more.length > 0) throw new Error("not the first wave");
  return { setting, canary, others: envoys.filter((envoy) => envoy !== canary) };
}

describe.each(["sotw", "delta"] as const)("proxies that cannot be trusted, %s", (mode) => {
  test("together keep an object that most others accept from themselves only", async () => {
    const setting = await PoisonedMesh.start(...base, route(1, "good"));
    const [one, two, ...honest] = connectAll(setting, mode, 6);
    await setting.settle();
    if (one === undefined || two === undefined) throw new Error("no proxies");
    setting.spoil("newer", [one, two]);
    setting.mesh.apply(route(1, "newer"));
    await setting.mesh.pushed();
    for (const envoy of honest) while (envoy.step()) await nextTurn();
    await setting.settle();
    expect(reportOf(setting).refusals.map(({ keptFrom }) => keptFrom)).toEqual([1, 1]);
    expect([one, two, ...honest].map((envoy) => has(envoy, "newer"))).toEqual([
      false,
      false,
      ...honest.map(() => true),
    ]);
  });

  test("confirm nothing if they accept the same mesh the second time", async () => {
    const setting = await PoisonedMesh.start(...base, route(1, "newer"));
    const liar = setting.connect(mode, gateway(0));
    setting.spoil("newer", [liar]);
    await setting.settle();
    const moody = setting.connect(mode, gateway(1));
    await setting.settle();
    let left = 1;
    moody.reject = (typeUrl) => typeUrl !== endpointType && left-- > 0;
    await pass(setting, 10);
    expect(reportOf(setting).untrusted).toMatchObject([{ node: gateway(1).nodeId, reason: "changes its verdict" }]);
    expect(reportOf(setting).refusals).toMatchObject([{ id, confirmedBy: undefined }]);
    const honest = setting.connect(mode, gateway(2));
    await pass(setting, 10);
    expect([liar, moody, honest].map((envoy) => has(envoy, "newer"))).toEqual([false, true, true]);
  });

  test("are no witnesses any more: the refusals that they found are tried anew on another proxy", async () => {
    const routes = [1, 2, 3, 4].map((index) => route(index, index === 1 ? "newer" : "good"));
    const setting = await PoisonedMesh.start(...base, ...routes);
    const liars = connectAll(setting, mode, 2);
    setting.spoil("newer", liars);
    await pass(setting, 10);
    const honest = setting.connect(mode, gateway(5));
    await pass(setting, 10);
    expect(reportOf(setting).refusals).toMatchObject([{ id, keptFrom: 3 }]);
    const [{ confirmedBy } = { confirmedBy: undefined }] = reportOf(setting).refusals;
    expect(confirmedBy).toBeDefined();
    for (const index of [2, 3, 4]) {
      setting.spoil(`lie-${index}`, liars.slice(0, 1));
      await setting.apply(route(index, `lie-${index}`));
      await pass(setting, 11);
    }
    expect(reportOf(setting).untrusted).toMatchObject([{ node: gateway(0).nodeId, reason: "contradicted" }]);
    await pass(setting, 11);
    expect(has(honest, "newer")).toBe(true);
    expect(reportOf(setting).refusals.filter(({ keptFrom }) => keptFrom > 1)).toEqual([]);
  });

  test("are in no wave", async () => {
    const setting = await PoisonedMesh.start(...base, route(1, "poison"));
    const envoys = connectAll(setting, mode, 10);
    await setting.settle();
    const flapping = envoys.slice(1, 9);
    for (const envoy of flapping) await flap(setting, envoy);
    await setting.settle();
    setting.mesh.apply(route(1, "mended"));
    let early = 0;
    await rounds(setting, envoys, 60, () => {
      const isOnItsWay = reportOf(setting).refusals.some(({ state }) => state.type === "wave");
      if (isOnItsWay) early += flapping.filter((envoy) => has(envoy, "mended")).length;
    });
    expect(early).toBe(0);
    expect(envoys.filter((envoy) => !has(envoy, "mended"))).toEqual([]);
    expect(setting.refused).toEqual([]);
  });

  test("because they reconnect again and again do not stop the waves of an object", async () => {
    const { setting, canary, others } = await firstWave(mode);
    await flap(setting, canary);
    canary.disconnect();
    await rounds(setting, others, 60);
    expect(others.filter((envoy) => !has(envoy, "mended"))).toEqual([]);
    expect(setting.refused).toEqual([]);
  });

  test("because they reject everything do not stop the waves of an object", async () => {
    const { setting, canary, others } = await firstWave(mode);
    canary.reject = () => true;
    setting.mesh.apply(route(0, "edited"));
    await rounds(setting, [canary, ...others], 100);
    expect(others.filter((envoy) => !has(envoy, "mended") || !has(envoy, "edited"))).toEqual([]);
    expect(setting.refused).toEqual([]);
  });
});

test("an object on its way to all proxies is never taken back because another one is mended", async () => {
  const setting = await PoisonedMesh.start(...base, route(1, "poison"), route(2, "poison"));
  const envoys = connectAll(setting, "delta", 20);
  await setting.settle();
  setting.mesh.apply(route(1, "mended-1"));
  const counts: number[] = [];
  const count = () => counts.push(envoys.filter((envoy) => has(envoy, "mended-1")).length);
  await rounds(setting, envoys, 15, count);
  setting.mesh.apply(route(2, "mended-2"));
  await rounds(setting, envoys, 75, count);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(envoys.every((envoy) => has(envoy, "mended-1") && has(envoy, "mended-2"))).toBe(true);
  expect(setting.refused).toEqual([]);
});

test("an object whose first proxy is gone is tried again on another one after ten minutes", async () => {
  const setting = await PoisonedMesh.start(...base, route(1, "poison"));
  const envoys = connectAll(setting, "delta", 2);
  await setting.settle();
  setting.mesh.apply(route(1, "mended"));
  await rounds(setting, envoys, 5);
  const first = envoys.find((envoy) => has(envoy, "mended"));
  first?.disconnect();
  for (let second = 0; second < 35; second++) await setting.mesh.pushed().then(() => setting.mesh.clock.advance(1_000));
  expect(setting.refused).toEqual([`${id}: nothing`]);
  await pass(setting, 600);
  expect(envoys.every((envoy) => has(envoy, "mended"))).toBe(true);
  expect(setting.refused).toEqual([]);
});
