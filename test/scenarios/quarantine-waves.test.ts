import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { configId } from "../../src/config/config.ts";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { gateway, has, PoisonedMesh, route, service, theGateway } from "./quarantine/poisoned-mesh.ts";

const base = [theGateway, service("backend")];
const id = configId("VirtualService", "shop", "vs-1");

function quarantineOf({ mesh }: PoisonedMesh) {
  const { quarantine } = mesh.discovery;
  if (quarantine === undefined) throw new Error("no quarantine");
  return quarantine;
}

/** Lets streams run without much time: 20 ms in each round. */
async function answer(setting: PoisonedMesh, envoys: readonly EnvoyModel[], rounds = 12): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    setting.mesh.clock.advance(20);
    await setting.mesh.discovery.idle();
    await nextTurn();
    while (envoys.map((envoy) => envoy.step()).some(Boolean)) await nextTurn();
  }
}

describe.each(["sotw", "delta"] as const)("a mended object, %s", (mode) => {
  test("arrives on one proxy first, then on a tenth, on a half, and on all", async () => {
    const setting = await PoisonedMesh.start(...base, route(0, "good"), route(1, "poison"));
    const envoys = Array.from({ length: 20 }, (_, number) => setting.connect(mode, gateway(number)));
    await setting.settle();
    expect(setting.refused).toEqual([`${id}: nothing`]);
    setting.mesh.apply(route(1, "mended"));
    await answer(setting, envoys);
    const counts = [];
    const shown = [];
    for (let second = 0; second < 5; second++) {
      counts.push(envoys.filter((envoy) => has(envoy, "mended")).length);
      const [refusal] = quarantineOf(setting).report().refusals;
      shown.push(refusal?.state.type === "wave" ? [refusal.state.wave, refusal.state.waves, refusal.keptFrom] : []);
      setting.mesh.clock.advance(800);
      await answer(setting, envoys);
    }
    expect(counts).toEqual([1, 2, 10, 20, 20]);
    expect(shown).toEqual([[1, 4, 19], [2, 4, 18], [3, 4, 10], [], []]);
    expect(setting.refused).toEqual([]);
    expect(setting.mesh.observer.failures).toEqual([]);
  });

  test("that a proxy of a later wave refuses goes no further", async () => {
    const setting = await PoisonedMesh.start(...base, route(0, "good"), route(1, "poison"));
    const envoys = Array.from({ length: 20 }, (_, number) => setting.connect(mode, gateway(number)));
    await setting.settle();
    // Every proxy but the first two refuses this version, too.
    setting.spoil("mended", envoys.slice(2));
    await setting.apply(route(1, "mended"));
    expect(setting.refused).toEqual([`${id}: nothing`]);
    expect(envoys.filter((envoy) => has(envoy, "mended"))).toEqual([]);
  });

  test("whose proxies disappear with it goes no further", async () => {
    const setting = await PoisonedMesh.start(...base, route(0, "good"), route(1, "poison"));
    const envoys = [0, 1].map((number) => setting.connect(mode, gateway(number)));
    await setting.settle();
    setting.mesh.apply(route(1, "mended"));
    await answer(setting, envoys);
    const canary = envoys.find((envoy) => has(envoy, "mended"));
    canary?.disconnect();
    for (let second = 0; second < 35; second++) {
      setting.mesh.clock.advance(1_000);
      await answer(setting, envoys, 1);
    }
    expect(setting.refused).toEqual([`${id}: nothing`]);
    const [refusal] = quarantineOf(setting).report().refusals;
    expect(refusal).toMatchObject({
      state: { type: "refused" },
      reason: "proxies that got the object did not accept it in time",
    });
    expect(envoys.filter((envoy) => envoy !== canary && has(envoy, "mended"))).toEqual([]);
  });

  test("that changes again during the waves is tried again, and its first version stands until then", async () => {
    const setting = await PoisonedMesh.start(...base, route(0, "good"), route(1, "poison"));
    const envoys = [0, 1].map((number) => setting.connect(mode, gateway(number)));
    await setting.settle();
    setting.mesh.apply(route(1, "mended"));
    await answer(setting, envoys);
    setting.mesh.apply(route(1, "poison again"));
    await setting.settle();
    expect(setting.refused).toEqual([`${id}: earlier version`]);
    expect(envoys.every((envoy) => has(envoy, "mended"))).toBe(true);
  });

  test("that is deleted during the waves is gone", async () => {
    const setting = await PoisonedMesh.start(...base, route(0, "good"), route(1, "poison"));
    const envoys = [0, 1].map((number) => setting.connect(mode, gateway(number)));
    await setting.settle();
    setting.mesh.apply(route(1, "mended"));
    await answer(setting, envoys);
    setting.mesh.remove("VirtualService", "shop", "vs-1");
    await setting.settle();
    expect(setting.refused).toEqual([]);
    expect(envoys.some((envoy) => has(envoy, "mended"))).toBe(false);
  });
});
