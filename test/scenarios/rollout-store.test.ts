import { describe, expect, test } from "vitest";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { has, routeTo, service, theGateway } from "./quarantine/poisoned-mesh.ts";
import { day, SharedStore } from "./quarantine/stored-mesh.ts";
import type { StagedMesh } from "./rollout/staged-mesh.ts";
import { staged } from "./rollout/staged-objects.ts";
import { serveStored } from "./rollout/stored-rollouts.ts";

const settings = { waves: "1, 50%", wait: "60s" };
const always = [theGateway, service("backend"), routeTo(1, "backend", "other")];
const old = staged(routeTo(0, "backend", "old"), settings);
const next = staged(routeTo(0, "backend", "new"), settings);

/** The phases of a rollout, and how a server gets there. */
const phases: readonly (readonly [phase: string, reach: (mesh: StagedMesh) => Promise<void>])[] = [
  ["waits", () => Promise.resolve()],
  ["is in its first wave", (mesh) => mesh.pass(5)],
  ["is in its second wave", (mesh) => mesh.pass(90)],
  [
    "is paused",
    async (mesh) => {
      await mesh.pass(90);
      mesh.rollouts.command("pause", "shop/change");
      await mesh.pass(1);
    },
  ],
  [
    "is halted",
    async (mesh) => {
      await mesh.pass(90);
      mesh.rollouts.command("abort", "shop/change");
      await mesh.pass(1);
    },
  ],
];

const having = (envoys: readonly EnvoyModel[]) => envoys.map((envoy) => has(envoy, "new"));

describe("a server that is killed while a rollout", () => {
  test.each(phases)("%s goes on with it: each proxy keeps its version", async (phase, reach) => {
    const store = new SharedStore();
    const killed = await serveStored(store, [...always, old], { proxies: 12 });
    killed.mesh.setting.mesh.apply(next);
    killed.mesh.setting.mesh.clock.advance(100);
    await killed.keeper.save();
    await reach(killed.mesh);
    const before = having(killed.mesh.envoys);
    const restarted = await serveStored(store, [...always, next], { time: day + 3_600_000 });
    expect(restarted.mesh.rollouts.rollouts.map(({ change }) => change.id)).toEqual(["shop/change"]);
    for (const envoy of killed.mesh.envoys) restarted.mesh.setting.add(envoy);
    restarted.mesh.envoys.push(...killed.mesh.envoys);
    await restarted.mesh.setting.settle();
    const after = having(killed.mesh.envoys);
    await restarted.mesh.pass(200);
    const later = having(killed.mesh.envoys);
    // A waiting rollout may have begun, and a paused or halted one goes on only if an operator says so.
    expect(phase === "waits" ? before : after).toEqual(before);
    const needsOperator = phase === "is halted" || phase === "is paused";
    expect(needsOperator ? later : before).toEqual(before);
    expect(restarted.mesh.rollouts.command("resume", "shop/change")).toBe(needsOperator);
    await restarted.mesh.pass(200);
    expect(having(killed.mesh.envoys)).toEqual(killed.mesh.envoys.map(() => true));
    expect(store.stored?.content).not.toContain("shop/change");
    expect(restarted.mesh.setting.mesh.observer.failures).toEqual([]);
  });

  test("runs, and whose objects are edited meanwhile, begins it anew from the version that all proxies had", async () => {
    const store = new SharedStore();
    const killed = await serveStored(store, [...always, old], { proxies: 12 });
    await killed.mesh.setting.apply(next);
    await killed.mesh.pass(90);
    const newer = staged(routeTo(0, "backend", "newer"), settings);
    const restarted = await serveStored(store, [...always, newer]);
    const fresh = Array.from({ length: 12 }, () => restarted.mesh.connect());
    await restarted.mesh.setting.settle();
    expect(fresh.filter((envoy) => has(envoy, "old")).length).toBeGreaterThan(10);
    await restarted.mesh.pass(300);
    expect(restarted.mesh.having("newer")).toBe(12);
  });

  test("runs, and whose store is altered, serves the new version", async () => {
    const store = new SharedStore();
    const killed = await serveStored(store, [...always, old], { proxies: 3 });
    await killed.mesh.setting.apply(next);
    await killed.mesh.pass(5);
    await killed.keeper.stop();
    store.put((store.stored?.content ?? "").replace("delivering", "waiting"));
    const restarted = await serveStored(store, [...always, next], { proxies: 3 });
    expect(restarted.mesh.having("new")).toBe(3);
    expect(restarted.logger.lines.map(({ message }) => message)).toContain(
      "stored rollouts ignored: the document was altered",
    );
  });
});

test("replicas agree: a rejection at one of them halts the rollout at all, and the end of one is the end of all", async () => {
  const store = new SharedStore();
  const replicas = [
    await serveStored(store, [...always, old], { proxies: 10 }),
    await serveStored(store, [...always, old], { proxies: 10 }),
  ];
  const [one, two] = replicas.map(({ mesh }) => mesh);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 10) for (const { mesh } of replicas) await mesh.pass(10);
  };
  one?.setting.spoil("spoiled", one.envoys);
  for (const { mesh } of replicas) mesh.setting.mesh.apply(staged(routeTo(0, "backend", "spoiled"), settings));
  await pass(60);
  expect(replicas.map(({ mesh }) => mesh.rollouts.rollouts.map(({ phase }) => phase))).toEqual([
    ["halted"],
    ["halted"],
  ]);
  await pass(200);
  expect(replicas.map(({ mesh }) => mesh.having("spoiled"))).toEqual([0, 0]);
  for (const { mesh } of replicas) mesh.setting.mesh.apply(next);
  await pass(20);
  expect(two?.rollouts.command("promote", "shop/change")).toBe(true);
  await pass(20);
  expect(replicas.map(({ mesh }) => mesh.having("new"))).toEqual([10, 10]);
  expect(store.stored?.content).not.toContain("shop/change");
});

describe("a replica whose objects arrive late", () => {
  const commands = [
    ["pause", "paused", "late"],
    ["abort", "halted", "early"],
  ] as const;

  test.each(commands)(
    "keeps to the %s of the others, which stays %s until the %s one ends it for all",
    async (command, phase, who) => {
      const store = new SharedStore();
      const early = await serveStored(store, [...always, old], { proxies: 5 });
      const late = await serveStored(store, [...always, old], { proxies: 5 });
      const both = [early.mesh, late.mesh];
      const pass = async (seconds: number) => {
        for (const mesh of both) await mesh.pass(seconds);
      };
      const phases = () => both.map(({ rollouts }) => rollouts.rollouts.map((rollout) => rollout.phase).join());
      await early.mesh.setting.apply(next);
      await early.mesh.pass(5);
      expect(early.mesh.rollouts.command(command, "shop/change")).toBe(true);
      await pass(2);
      expect(phases()).toEqual([phase, ""]);
      await late.mesh.setting.apply(next);
      for (let second = 0; second < 200; second += 10) await pass(10);
      expect(phases()).toEqual([phase, phase]);
      const inFirstWave = phase === "paused" ? 1 : 0;
      expect(both.map((mesh) => mesh.having("new"))).toEqual([inFirstWave, inFirstWave]);
      const [ending, following] = who === "late" ? [late.mesh, early.mesh] : [early.mesh, late.mesh];
      expect(ending.rollouts.command("promote", "shop/change")).toBe(true);
      for (const mesh of [ending, following]) await mesh.pass(5);
      expect(phases()).toEqual(["", ""]);
      expect(store.stored?.content).not.toContain("shop/change");
      expect(both.map((mesh) => mesh.having("new"))).toEqual([5, 5]);
    },
  );
});
