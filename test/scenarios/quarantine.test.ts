import { describe, expect, test } from "vitest";
import { contentOf, freshContent, gateway, PoisonedMesh, route, service, theGateway } from "./quarantine/poisoned-mesh.ts";

const base = [theGateway, service("backend")];
const routes = (count: number) => Array.from({ length: count }, (_, index) => route(index, "good"));

describe.each(["sotw", "delta"] as const)("a poisoned VirtualService, %s", (mode) => {
  test("keeps its last accepted version, while others follow edits", async () => {
    const good = [...base, ...routes(20)];
    const setting = await PoisonedMesh.start(...good);
    const envoy = setting.connect(mode, gateway(0));
    await setting.settle();
    await setting.apply(route(7, "poison"));
    expect(setting.refused).toEqual(["VirtualService/shop/vs-7: earlier version"]);
    expect(contentOf(envoy)).toEqual(await freshContent(mode, gateway(0), good));
    await setting.apply(route(3, "newer"));
    expect(contentOf(envoy)).toEqual(await freshContent(mode, gateway(0), good.with(5, route(3, "newer"))));
    expect(setting.mesh.observer.failures).toEqual([]);
  });

  test("is left out for a fresh proxy, which gets all others within ⌈log2 n⌉ + 1 probes", async () => {
    const good = [...base, ...routes(100)];
    const setting = await PoisonedMesh.start(...good.with(50, route(48, "poison")));
    const envoy = setting.connect(mode, gateway(0));
    await setting.settle();
    expect(setting.refused).toEqual(["VirtualService/shop/vs-48: nothing"]);
    expect(contentOf(envoy)).toEqual(await freshContent(mode, gateway(0), good.toSpliced(50, 1)));
    expect(setting.mesh.observer.searches.map(({ probes }) => probes)).toHaveLength(1);
    expect(setting.mesh.observer.searches[0]?.probes).toBeLessThanOrEqual(8);
    const later = setting.connect(mode, gateway(1));
    await setting.settle();
    expect(contentOf(later)).toEqual(contentOf(envoy));
    expect(setting.mesh.observer.searches).toHaveLength(1);
  });

  test("is served again when it is mended, and refused again when it is spoilt again", async () => {
    const good = [...base, ...routes(5)];
    const setting = await PoisonedMesh.start(...good.with(3, route(1, "poison")));
    const [one, two] = [setting.connect(mode, gateway(0)), setting.connect(mode, gateway(1))];
    await setting.settle();
    await setting.apply(route(1, "mended"));
    expect(setting.refused).toEqual([]);
    const mended = await freshContent(mode, gateway(0), good.with(3, route(1, "mended")));
    for (const envoy of [one, two]) expect(contentOf(envoy)).toEqual(mended);
    await setting.apply(route(1, "poison again"));
    expect(setting.refused).toEqual(["VirtualService/shop/vs-1: earlier version"]);
    for (const envoy of [one, two]) expect(contentOf(envoy)).toEqual(mended);
  });
});
