import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { seed } from "../../../testing/random/seed.ts";
import type { Service } from "../../model/service/service.ts";
import { allocateAddresses, isAllocatable } from "./allocated-addresses.ts";

const entry: Partial<Service> = { registry: "External", addresses: [], resolution: "dns", labels: {} };

function services(ages: readonly number[]): readonly Service[] {
  return ages.map((createdAt, index) => fakeService({ ...entry, hostname: `host-${index}.example`, createdAt }));
}

function byHost(allocated: ReturnType<typeof allocateAddresses>): ReadonlyMap<string, string> {
  return new Map(allocated.map(({ hostname, addresses }) => [hostname, addresses.join()]));
}

describe("allocated addresses", () => {
  test("are of 240.240.0.0/16 and 2001:2::/48, follow from the name, and differ", () => {
    const all = allocateAddresses(services(Array.from({ length: 3_000 }, () => 0)));
    for (const { addresses } of all) {
      const [, third, fourth] = /^240\.240\.(\d+)\.(\d+),2001:2::f0f0:[0-9a-f]{1,4}$/u.exec(addresses.join()) ?? [];
      expect(Number(third)).toBeLessThan(256);
      expect(Number(fourth) >= 1 && Number(fourth) <= 254).toBe(true);
    }
    for (const family of [0, 1]) expect(new Set(all.map(({ addresses }) => addresses[family])).size).toBe(3_000);
    expect(byHost(allocateAddresses(services([0]))).get("host-0.example")).toBe(byHost(all).get("host-0.example"));
  });

  test("of older services stay when a younger one comes or goes, whatever their order", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 40 }), fc.nat(), (ages, shift) => {
        // A thousand more make collisions common.
        const older = services([...ages, ...Array.from({ length: 1_000 }, () => 6)]);
        const younger = fakeService({ ...entry, hostname: `late-${shift}.example`, createdAt: 7 });
        const before = byHost(allocateAddresses(older));
        const after = byHost(allocateAddresses([younger, ...older.toReversed()]));
        for (const [hostname, addresses] of before) expect(after.get(hostname)).toBe(addresses);
      }),
      { seed, numRuns: 20 },
    );
  });

  test("end with the range, and the oldest services have them", () => {
    const all = allocateAddresses(services(Array.from({ length: 65_025 }, (_, index) => index)));
    expect([all.length, new Set(all.map(({ addresses }) => addresses[0])).size]).toEqual([65_024, 65_024]);
    expect(byHost(all).has("host-65024.example")).toBe(false);
  });

  test.each<[boolean, string, Partial<Service>]>([
    [true, "an entry without addresses", {}],
    [true, "a wildcard that proxies resolve per request", { hostname: "*.example", resolution: "dynamic-dns" }],
    [false, "a wildcard", { hostname: "*.example" }],
    [false, "an entry with addresses", { addresses: ["10.0.0.1"] }],
    [false, "an entry whose callers choose the address", { resolution: "passthrough" }],
    [false, "a Kubernetes service", { registry: "Kubernetes" }],
    [false, "an entry that declines", { labels: { "networking.istio.io/enable-autoallocate-ip": "False" } }],
  ])("are given: %s to %s", (expected, _of, changes) => {
    expect(isAllocatable(fakeService({ ...entry, ...changes }))).toBe(expected);
  });
});
