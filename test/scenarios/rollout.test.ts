import { describe, expect, test } from "vitest";
import { clusterType } from "../../src/xds/type-urls.ts";
import { contentOf, freshContent, gateway, object, routeTo, service, theGateway } from "./quarantine/poisoned-mesh.ts";
import { danglingOf, StagedMesh } from "./rollout/staged-mesh.ts";
import { staged } from "./rollout/staged-objects.ts";

const start = [theGateway, service("backend"), routeTo(0, "backend", "old"), routeTo(1, "backend", "other")];

describe.each(["sotw", "delta"] as const)("a staged change, %s", (mode) => {
  test("reaches one proxy, then the shares of its waves, then all", async () => {
    const mesh = await StagedMesh.start(mode, 40, start);
    await mesh.setting.apply(staged(routeTo(0, "backend", "new"), { waves: "1, 10%, 50%", wait: "60s" }));
    await mesh.pass(5);
    expect(mesh.having("new")).toBe(1);
    await mesh.pass(90);
    const tenth = mesh.having("new");
    await mesh.pass(70);
    const half = mesh.having("new");
    expect([tenth > 1, half > tenth, half < 40]).toEqual([true, true, true]);
    await mesh.pass(70);
    expect([mesh.having("new"), mesh.having("old")]).toEqual([40, 0]);
    expect(mesh.events).toEqual([
      expect.stringMatching(/^shop\/change started 0 0 VirtualService\/shop\/vs-0 /u),
      "shop/change wave 1 1",
      "shop/change acknowledged 1 1",
      `shop/change wave 2 ${tenth}`,
      `shop/change acknowledged 2 ${tenth}`,
      `shop/change wave 3 ${half}`,
      `shop/change acknowledged 3 ${half}`,
      `shop/change finished 3 ${half}`,
    ]);
    const objects = [theGateway, service("backend"), routeTo(0, "backend", "new"), routeTo(1, "backend", "other")];
    const fresh = await freshContent(mode, gateway(0), objects);
    for (const envoy of mesh.envoys) expect(contentOf(envoy)).toEqual(fresh);
    expect(mesh.setting.mesh.discovery.catalogues).toHaveLength(1);
    expect(mesh.setting.mesh.observer.failures).toEqual([]);
  });

  test("is taken back from its first proxy if that proxy rejects it, and no other proxy ever gets it", async () => {
    const mesh = await StagedMesh.start(mode, 10, start);
    await mesh.setting.apply(staged(routeTo(0, "backend", "poison"), { wait: "60s" }));
    await mesh.pass(300);
    expect(mesh.events.at(-1)).toMatch(/^shop\/change halted 1 0 router~\S+ rejected it: /u);
    expect([mesh.having("poison"), mesh.having("old")]).toEqual([0, 10]);
    expect(mesh.setting.mesh.observer.rejections).toBe(1);
    expect(mesh.setting.refused).toEqual([]);
    expect(mesh.setting.mesh.observer.searches).toEqual([]);
    // A proxy that comes meanwhile gets the version that the others have.
    mesh.connect();
    await mesh.setting.settle();
    expect(mesh.having("old")).toBe(11);
    // The next version begins anew.
    await mesh.setting.apply(staged(routeTo(0, "backend", "mended"), { wait: "60s" }));
    await mesh.pass(300);
    expect([mesh.having("mended"), mesh.having("old")]).toEqual([11, 0]);
    expect(mesh.setting.mesh.discovery.catalogues).toHaveLength(1);
    expect(mesh.setting.mesh.observer.failures).toEqual([]);
  });

  test("is taken back from every wave, also from proxies that connected meanwhile", async () => {
    const mesh = await StagedMesh.start(mode, 20, start);
    await mesh.setting.apply(staged(routeTo(0, "backend", "new"), { waves: "1, 50%", wait: "60s" }));
    await mesh.pass(90);
    const half = mesh.having("new");
    for (let number = 0; number < 20; number++) mesh.connect();
    await mesh.setting.settle();
    const together = mesh.having("new");
    expect([half > 1, together > half, together < 40]).toEqual([true, true, true]);
    expect(mesh.rollouts.command("abort", "shop/change")).toBe(true);
    await mesh.setting.settle();
    expect([mesh.having("new"), mesh.having("old")]).toEqual([0, 40]);
    expect(mesh.rollouts.command("promote", "shop/change")).toBe(true);
    await mesh.setting.settle();
    expect([mesh.having("new"), mesh.having("old")]).toEqual([40, 0]);
  });

  test("lets every other change through, also to the proxies that have it", async () => {
    const mesh = await StagedMesh.start(mode, 10, start);
    await mesh.setting.apply(staged(routeTo(0, "backend", "new"), { waves: "1, 50%", wait: "60s" }));
    await mesh.pass(90);
    const half = mesh.having("new");
    await mesh.setting.apply(routeTo(1, "backend", "elsewhere"));
    expect([mesh.having("new"), mesh.having("elsewhere"), mesh.having("other")]).toEqual([half, 10, 0]);
  });

  test("waits while it is paused, and goes on where it was", async () => {
    const mesh = await StagedMesh.start(mode, 10, start);
    await mesh.setting.apply(staged(routeTo(0, "backend", "new"), { waves: "1", wait: "60s" }));
    await mesh.pass(5);
    expect(mesh.rollouts.command("pause", "shop/change")).toBe(true);
    await mesh.pass(300);
    expect(mesh.having("new")).toBe(1);
    expect(mesh.rollouts.command("resume", "shop/change")).toBe(true);
    await mesh.pass(90);
    expect(mesh.having("new")).toBe(10);
  });

  test("begins anew with the newest content when an object changes, from the version that all proxies had", async () => {
    const mesh = await StagedMesh.start(mode, 20, start);
    const settings = { waves: "1, 50%", wait: "60s" };
    await mesh.setting.apply(staged(routeTo(0, "backend", "first"), settings));
    await mesh.pass(90);
    expect(mesh.having("first")).toBeGreaterThan(1);
    await mesh.setting.apply(staged(routeTo(0, "backend", "second"), settings));
    await mesh.pass(5);
    expect([mesh.having("first"), mesh.having("second"), mesh.having("old")]).toEqual([0, 1, 19]);
    // The old content again: nothing is left to stage.
    await mesh.setting.apply(staged(routeTo(0, "backend", "old"), settings));
    expect([mesh.having("second"), mesh.having("old")]).toEqual([0, 20]);
    expect(mesh.rollouts.rollouts).toEqual([]);
    expect(mesh.events.at(-1)).toMatch(/withdrawn/u);
  });

  test("may be a deletion", async () => {
    const mesh = await StagedMesh.start(mode, 10, [...start, staged(routeTo(2, "backend", "doomed"), { wait: "60s" })]);
    expect(mesh.having("doomed")).toBe(10);
    mesh.setting.mesh.remove("VirtualService", "shop", "vs-2");
    await mesh.pass(5);
    expect(mesh.having("doomed")).toBe(9);
    await mesh.pass(300);
    expect(mesh.having("doomed")).toBe(0);
  });

  test("waits for the end of another rollout", async () => {
    const mesh = await StagedMesh.start(mode, 10, start);
    const settings = { waves: "1", wait: "60s" };
    await mesh.setting.apply(staged(routeTo(0, "backend", "new"), settings));
    await mesh.setting.apply(staged(routeTo(1, "backend", "later"), { ...settings, name: "second" }));
    await mesh.pass(5);
    expect([mesh.having("new"), mesh.having("later")]).toEqual([1, 0]);
    await mesh.pass(75);
    expect([mesh.having("new"), mesh.having("later")]).toEqual([10, 1]);
    await mesh.pass(90);
    expect([mesh.having("new"), mesh.having("later")]).toEqual([10, 10]);
  });

  test("is halted if the only proxy of its wave disconnects again and again", async () => {
    const mesh = await StagedMesh.start(mode, 5, start);
    await mesh.setting.apply(staged(routeTo(0, "backend", "new"), { wait: "10m" }));
    await mesh.pass(5);
    const canary = mesh.envoys.find((envoy) => mesh.isReached(envoy));
    for (let time = 0; time < 3; time++) {
      canary?.stream?.disconnect();
      await mesh.setting.settle();
      canary?.connect(mesh.setting.mesh.discovery);
      await mesh.setting.settle();
    }
    expect(mesh.events.at(-1)).toMatch(/halted 1 0 router~\S+ disconnected 3 times/u);
    expect(mesh.having("new")).toBe(0);
  });
});

function routeToSubset(subset: string): string {
  const http = [{ route: [{ destination: { host: "backend.internal", subset } }] }];
  return object("VirtualService", "vs", { hosts: ["host.example.com"], gateways: ["gw"], http });
}

function ruleWith(subset: string): string {
  const subsets = [{ name: subset, labels: { version: subset } }];
  return object("DestinationRule", "rule", { host: "backend.internal", subsets });
}

test("a rule without the annotation waits with the routes that use its subsets, so that no route loses its cluster", async () => {
  const mesh = await StagedMesh.start("delta", 5, [
    theGateway,
    service("backend"),
    routeToSubset("v1"),
    ruleWith("v1"),
  ]);
  await mesh.setting.apply(staged(routeToSubset("v2"), { waves: "1", wait: "60s" }), ruleWith("v2"));
  await mesh.pass(5);
  const clusters = () => mesh.envoys.map((envoy) => envoy.names(clusterType).filter((name) => name.includes("|v")));
  const count = (subset: string) =>
    clusters().filter((names) => names.join() === `outbound|80|${subset}|backend.internal`);
  expect([count("v1").length, count("v2").length]).toEqual([4, 1]);
  expect(mesh.envoys.flatMap(danglingOf)).toEqual([]);
  await mesh.pass(90);
  expect(count("v2")).toHaveLength(5);
  expect(mesh.envoys.flatMap(danglingOf)).toEqual([]);
});

test("a push without a rollout does the work that it did before, and captures the mesh once", async () => {
  const mesh = await StagedMesh.start("delta", 3, start);
  const before = mesh.setting.mesh.encodings;
  await mesh.setting.apply(routeTo(0, "backend", "new"));
  const plain = mesh.setting.mesh.encodings - before;
  expect(mesh.setting.mesh.discovery.catalogues).toHaveLength(1);
  await mesh.setting.apply(staged(routeTo(0, "backend", "newer"), { waves: "1", wait: "60s" }));
  await mesh.pass(90);
  const after = mesh.setting.mesh.encodings;
  await mesh.setting.apply(routeTo(0, "backend", "newest"));
  expect(mesh.setting.mesh.encodings - after).toBe(plain);
  expect(mesh.setting.mesh.discovery.catalogues).toHaveLength(1);
});
