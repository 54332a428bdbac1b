import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Generator } from "../../src/pilot/xds/generator.ts";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import type { WrittenObject } from "../../src/testing/mesh/written-objects.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { EditedMesh } from "./fresh-server/edited-mesh.ts";

describe("a server serves after edits what a fresh server with the same objects would", () => {
  test("after every one of many edits", async () => {
    await fc.assert(
      fc.asyncProperty(interactingEdits, async (batches) => {
        const mesh = await EditedMesh.start();
        for (const batch of batches) {
          expect(await mesh.edit(batch)).toEqual(await mesh.fresh());
          expect(mesh.problems).toEqual([]);
        }
      }),
      { seed, numRuns: runs(6) },
    );
  });

  test("also where the fresh server is a process of its own", async () => {
    await fc.assert(
      fc.asyncProperty(interactingEdits, async (batches) => {
        const mesh = await EditedMesh.start();
        for (const batch of batches.slice(0, -1)) await mesh.edit(batch);
        expect(await mesh.edit(batches.at(-1) ?? [])).toEqual(mesh.freshProcess());
      }),
      { seed, numRuns: runs(1) },
    );
  });
});

/** The generators with a bug: changes of a kind do not concern a family. */
function forgetting(type: string, family: string, kind: string) {
  return (generators: readonly Generator[]): readonly Generator[] =>
    generators.map((generator) => ({
      ...generator,
      families: generator.families.map((each) =>
        generator.shortName === type && each.name === family
          ? { ...each, concerns: (changed: string) => changed !== kind && each.concerns(changed) }
          : each,
      ),
    }));
}

test.each([
  ["RDS", "sidecar", "Service"],
  ["CDS", "outbound", "DestinationRule"],
  ["LDS", "inbound", "PeerAuthentication"],
])("a fresh server shows that %s of the family %s forget a %s", async (type, family, kind) => {
  const tap = forgetting(type, family, kind);
  const result = await fc.check(
    fc.asyncProperty(interactingEdits, async (batches) => {
      const mesh = await EditedMesh.start({ tap });
      for (const batch of batches) expect(await mesh.edit(batch)).toEqual(await mesh.fresh());
    }),
    { seed: 7, numRuns: 40, endOnFailure: true },
  );
  expect(result.failed).toBe(true);
});

const host = (name: string) => `${name}.a.svc.cluster.local`;

function object(kind: string, name: string, spec: object): WrittenObject {
  return { apiVersion: "networking.istio.io/v1", kind, metadata: { namespace: "a", name }, spec };
}

function service(name: string, number: number): WrittenObject {
  const ports = [{ number, name: "http", protocol: "HTTP" }];
  const endpoints = [{ address: "10.0.0.9" }];
  return object("ServiceEntry", name, { hosts: [host(name)], ports, resolution: "STATIC", endpoints });
}

test("routes get the hash of a destination when its service appears, and lose it when the service goes", async () => {
  const http = [{ route: [{ destination: { host: host("two") } }] }];
  const trafficPolicy = { loadBalancer: { consistentHash: { httpHeaderName: "x-user" } } };
  const mesh = await EditedMesh.start();
  const others = [
    service("one", 80),
    object("VirtualService", "one", { hosts: [host("one")], http }),
    object("DestinationRule", "two", { host: host("two"), trafficPolicy }),
  ];
  // On another port: the routes of a port are made anew with its services anyway.
  const two = service("two", 81);
  const before = await mesh.edit(others.map((each) => ({ object: each, deleted: false })));
  const there = await mesh.edit([{ object: two, deleted: false }]);
  expect(there).toEqual(await mesh.fresh());
  expect(await mesh.edit([{ object: two, deleted: true }])).toEqual(before);
});
