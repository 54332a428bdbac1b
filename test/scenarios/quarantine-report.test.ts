import { expect, test } from "vitest";
import { configId } from "../../src/config/config.ts";
import { gateway, PoisonedMesh, route, service, theGateway } from "./quarantine/poisoned-mesh.ts";

const base = [theGateway, service("backend")];
const id = configId("VirtualService", "shop", "vs-1");

async function refusing() {
  const setting = await PoisonedMesh.start(...base, route(0, "good"), route(1, "poison"), route(2, "good"));
  const envoy = setting.connect("delta", gateway(0));
  await setting.settle();
  const { quarantine } = setting.mesh.discovery;
  if (quarantine === undefined) throw new Error("no quarantine");
  return { setting, envoy, quarantine };
}

test("the report shows the class, the refused object, its reason and its replacement", async () => {
  const { quarantine } = await refusing();
  const { classes, refusals, released, search, untrusted } = quarantine.report();
  expect(classes).toMatchObject([{ description: expect.stringContaining("router"), proxies: 1 }]);
  expect(refusals).toMatchObject([
    {
      classId: classes[0]?.id,
      id,
      reason: expect.stringContaining("http.80"),
      rejected: [{ type: "RDS", resources: ["http.80"] }],
      node: gateway(0).nodeId,
      confirmedBy: undefined,
      keptFrom: 1,
      instead: { type: "nothing" },
      state: { type: "refused" },
    },
  ]);
  expect(refusals[0]?.probes).toBeGreaterThan(0);
  expect([released, search, untrusted]).toEqual([[], undefined, []]);
});

test("a retry tries the refused version again, and leaves it refused", async () => {
  const { setting, quarantine } = await refusing();
  expect(quarantine.retry(configId("VirtualService", "shop", "vs-0"))).toEqual({ type: "not refused" });
  expect(quarantine.retry(id)).toEqual({ type: "started", objects: [id] });
  expect(quarantine.report().refusals).toMatchObject([{ state: { type: "being tried", node: gateway(0).nodeId } }]);
  await setting.settle();
  expect(quarantine.report().refusals).toMatchObject([{ id, state: { type: "refused" } }]);
  expect(setting.mesh.observer.searches).toHaveLength(2);
});

test("a retry needs a connected proxy", async () => {
  const { setting, envoy, quarantine } = await refusing();
  envoy.disconnect();
  await setting.settle();
  expect(quarantine.retry()).toEqual({ type: "no proxy" });
});

test("a released object is served although proxies refuse it, until it changes", async () => {
  const { setting, quarantine } = await refusing();
  expect(await quarantine.release(id)).toMatchObject({ type: "released" });
  await setting.settle();
  const { refusals, released } = quarantine.report();
  expect([refusals, released]).toMatchObject([[], [{ id }]]);
  expect(await quarantine.release(id)).toEqual({ type: "not refused" });
  await setting.apply(route(1, "poison again"));
  expect(quarantine.report()).toMatchObject({ refusals: [{ id }], released: [] });
});
