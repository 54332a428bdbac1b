import { describe, expect, test } from "vitest";
import { configId } from "../../src/config/config.ts";
import type { ModelNode } from "../../src/testing/envoy/envoy-model.ts";
import { gateway, has, object, PoisonedMesh, route, service, theGateway } from "./quarantine/poisoned-mesh.ts";

const base = [theGateway, service("backend"), route(0, "good")];
const id = configId("VirtualService", "shop", "vs-1");

function sidecar(number: number): ModelNode {
  return {
    nodeId: `sidecar~10.1.0.${number + 1}~web-${number}.shop~shop.svc.cluster.local`,
    metadata: { LABELS: { app: "web" }, ISTIO_VERSION: "1.30.0" },
  };
}

/** A route of sidecars to the backend, with a header. */
function meshRoute(value: string): string {
  const destination = { host: "backend.internal" };
  const headers = { request: { set: { "x-version": value } } };
  return object("VirtualService", "in-mesh", {
    hosts: ["backend.internal"],
    http: [{ headers, route: [{ destination }] }],
  });
}

describe.each(["sotw", "delta"] as const)("a refused object, %s", (mode) => {
  test("of sidecars is kept from sidecars, and gateways get everything without a search", async () => {
    const setting = await PoisonedMesh.start(...base, meshRoute("good"));
    const [web, shop] = [setting.connect(mode, sidecar(0)), setting.connect(mode, sidecar(1))];
    const edge = setting.connect(mode, gateway(0));
    await setting.settle();
    await setting.apply(meshRoute("poison"), route(0, "newer"));
    expect(setting.refused).toEqual(["VirtualService/shop/in-mesh: earlier version"]);
    for (const envoy of [web, shop]) expect([has(envoy, "poison"), has(envoy, "good")]).toEqual([false, true]);
    expect(has(edge, "newer")).toBe(true);
    const { proxies } = setting.mesh.observer.searches[0] ?? {};
    expect([setting.mesh.observer.searches.length, proxies?.name]).toEqual([1, expect.stringMatching(/^sidecar /u)]);
    await setting.apply(meshRoute("mended"));
    for (const envoy of [web, shop]) expect(has(envoy, "mended")).toBe(true);
    expect(setting.refused).toEqual([]);
  });

  test("stays away from a gateway that restarts under the same name", async () => {
    const setting = await PoisonedMesh.start(...base, route(1, "first"));
    const before = setting.connect(mode, gateway(0));
    await setting.settle();
    await setting.apply(route(1, "poison"));
    before.disconnect();
    await setting.settle();
    const after = setting.connect(mode, gateway(0));
    await setting.settle();
    expect([has(after, "first"), has(after, "good"), has(after, "poison")]).toEqual([true, true, false]);
    expect(setting.mesh.observer.searches).toHaveLength(1);
    await setting.apply(route(1, "mended"));
    expect([has(after, "mended"), setting.refused]).toEqual([true, []]);
  });

  test("is not searched on a proxy that outlives its server, if the rejection names no object alone", async () => {
    const old = await PoisonedMesh.start(...base, route(1, "first"), route(2, "second"));
    const envoy = old.connect(mode, gateway(0));
    await old.settle();
    envoy.disconnect();
    // A new server without a store, whose mesh has one refused object.
    const setting = await PoisonedMesh.start(...base, route(1, "poison"), route(2, "second"));
    setting.add(envoy);
    await setting.settle();
    expect([setting.refused, setting.mesh.observer.searches]).toEqual([[], []]);
    expect([has(envoy, "first"), has(envoy, "second")]).toEqual([true, true]);
    // A fresh proxy of the class finds it. From then on edits arrive again.
    const fresh = setting.connect(mode, gateway(1));
    await setting.settle();
    expect(setting.refused).toEqual([`${id}: nothing`]);
    await setting.apply(route(2, "edited"));
    expect([envoy, fresh].map((each) => has(each, "edited"))).toEqual([true, true]);
  });
});
