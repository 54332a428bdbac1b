import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import { type WrittenObject, WrittenObjects } from "../../src/testing/mesh/written-objects.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { EditedMesh } from "./fresh-server/edited-mesh.ts";
import { anyNode, usualNodes } from "./fresh-server/nodes.ts";
import { Occurrences } from "./fresh-server/occurrences.ts";

const nodes = fc.array(anyNode, { minLength: 1, maxLength: 4 }).map((others) => [...usualNodes, ...others]);

describe("after edits, each client has the resources of a fresh server with the same objects", () => {
  test("after each of many edits", async () => {
    let changes = 0;
    const occurrences = new Occurrences();
    await fc.assert(
      fc.asyncProperty(interactingEdits, nodes, async (batches, all) => {
        const mesh = await EditedMesh.start(all);
        for (const batch of batches) {
          const served = await mesh.edit(batch);
          expect(served).toEqual(await mesh.fresh());
          expect(served.flatMap(namedTwice)).toEqual([]);
          expect(mesh.problems).toEqual([]);
          mesh.arrivals();
          changes += 1;
          // The first change makes the mesh, of everything at once.
          if (batch !== batches[0]) occurrences.note(mesh.edited);
        }
      }),
      { seed, numRuns: runs(6) },
    );
    process.stderr.write(`${changes} changes, each compared with a fresh server\n`);
    process.stderr.write(`of 1 000 changes were about: ${occurrences.text}\n`);
  });

  test("if the fresh server is a separate process", async () => {
    await fc.assert(
      fc.asyncProperty(interactingEdits, nodes, async (batches, all) => {
        const mesh = await EditedMesh.start(all);
        for (const batch of batches.slice(0, -1)) {
          await mesh.edit(batch);
          mesh.arrivals();
        }
        expect(await mesh.edit(batches.at(-1) ?? [])).toEqual(mesh.freshProcess());
      }),
      { seed, numRuns: runs(1) },
    );
  });
});

test("edits cover every kind and field that visibility, routes and endpoints depend on", () => {
  const occurrences = new Occurrences();
  const nowhere = { apply: () => undefined, removeAll: () => undefined };
  for (const [first = [], ...batches] of fc.sample(interactingEdits, { seed: 1, numRuns: 40 })) {
    const objects = new WrittenObjects();
    for (const edit of first) objects.edit(edit, nowhere);
    for (const batch of batches) occurrences.note(batch.flatMap((edit) => objects.edit(edit, nowhere) ?? []));
  }
  const seldom = [...occurrences.rates].filter(([, rate]) => rate < 5);
  expect(seldom).toEqual([]);
});

/** Names that stand in two parts of a type. */
function namedTwice(contents: readonly string[]): readonly string[] {
  const names = contents.map((line) => {
    const [type, , name] = line.split(" ", 3);
    return `${type} ${name}`;
  });
  return names.filter((name, index) => names.indexOf(name) !== index);
}

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
