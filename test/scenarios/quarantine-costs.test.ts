import { describe, expect, test } from "vitest";
import { gateway, PoisonedMesh, route, service, theGateway } from "./quarantine/poisoned-mesh.ts";

const count = 100;
const good = [theGateway, service("backend"), ...Array.from({ length: count }, (_, index) => route(index, "good"))];

describe.each(["sotw", "delta"] as const)("the search for an object that proxies refuse, %s", (mode) => {
  test("builds the routes once, and the class gets them from the search", async () => {
    const setting = await PoisonedMesh.start(...good);
    const { mesh } = setting;
    setting.connect(mode, gateway(0));
    setting.connect(mode, gateway(1));
    await setting.settle();
    mesh.apply(route(7, "poison"));
    await mesh.pushed();
    mesh.runs.length = 0;
    const before = mesh.encodings;
    await setting.settle();
    expect(setting.refused).toEqual(["VirtualService/shop/vs-7: earlier version"]);
    expect(mesh.observer.searches).toMatchObject([{ probes: 1, offenders: 1 }]);
    expect(mesh.runs.filter(({ type }) => type === "RDS")).toHaveLength(1);
    // Routes and virtual hosts of other objects are those of the users' mesh.
    expect(mesh.encodings - before).toBeLessThan(count / 4);
    // The proxy of the search has left its trial, although its parts stayed the same.
    expect(new Set(Array.from(mesh.discovery.connections, ({ classId }) => classId)).size).toBe(1);
  });
});
