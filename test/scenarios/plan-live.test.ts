import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlanAnswer } from "../../src/desk/api/model/plan.ts";
import { askDesk } from "../../src/testing/desk/ask-desk.ts";
import { deskStateOf } from "../../src/testing/desk/desk-rig.ts";
import { JournalMesh } from "../../src/testing/desk/journal-mesh.ts";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import { type ObjectEdit, WrittenObjects } from "../../src/testing/mesh/written-objects.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { fleetNodes } from "./plan/fleet-nodes.ts";
import { observedLines, predictedLines } from "./plan/delivered-lines.ts";
import { WireRecord } from "./plan/wire-record.ts";

test("a server plans a change for its connected proxies, and the proxies receive what the plan says", async () => {
  const count = { planned: 0, refused: 0, touching: 0 };
  await fc.assert(
    fc.asyncProperty(interactingEdits, async (batches) => {
      const mesh = await JournalMesh.serving("");
      const state = deskStateOf(mesh);
      const clients = fleetNodes.map(({ mode, ...node }) => {
        const envoy = mesh.connect(mode, node);
        return { envoy, record: new WireRecord(envoy) };
      });
      const settle = () => mesh.settle(clients.map(({ envoy }) => envoy));
      const observed = () => clients.map(({ record }) => record.take());
      await settle();
      const objects = new WrittenObjects();
      for (const batch of batches) {
        observed();
        const change = writtenChange(objects, batch);
        const { status, body } = await askDesk(state, "/plan", { body: { ...change.asked, maxRequests: 0 } });
        expect(status).toBe(200);
        const pushes = mesh.observer.debounced.length;
        mesh.source.batch(() => change.make(mesh));
        await settle();
        const { plan } = body as PlanAnswer;
        const seen = observed();
        // Galley makes other objects from Services, Ingresses and old policies: a server plans only what Pilot reads.
        if (plan === undefined || mesh.observer.debounced.length > pushes + 1) {
          count.refused += 1;
          continue;
        }
        expect(predictedLines(plan.deliveries)).toEqual(observedLines(fleetNodes, seen));
        count.planned += 1;
        count.touching += plan.proxies.touched > 0 ? 1 : 0;
      }
    }),
    { seed, numRuns: runs(2), endOnFailure: true },
  );
  process.stderr.write(
    `${count.planned} changes planned on a server, ${count.touching} touched proxies; ${count.refused} not planned\n`,
  );
  expect(count.planned).toBeGreaterThan(0);
});

function idOf(text: string): string {
  const { kind, metadata } = JSON.parse(text) as { kind: string; metadata: { namespace?: string; name: string } };
  return `${kind}/${metadata.namespace ?? "default"}/${metadata.name}`;
}

/** The change in the form of the API, and the same change in the source. */
function writtenChange(objects: WrittenObjects, batch: readonly ObjectEdit[]) {
  const writes: ((mesh: JournalMesh) => void)[] = [];
  const written = new Map<string, string>();
  const deleted = new Set<string>();
  const sink = {
    apply(text: string) {
      writes.push((mesh) => mesh.source.apply(text));
      written.set(idOf(text), text);
      deleted.delete(idOf(text));
    },
    removeAll(text: string) {
      writes.push((mesh) => mesh.source.remove(text));
      written.delete(idOf(text));
      deleted.add(idOf(text));
    },
  };
  for (const edit of batch) objects.edit(edit, sink);
  return {
    asked: { objects: [...written.values()].join("\n---\n"), deleted: [...deleted] },
    make(mesh: JournalMesh) {
      for (const write of writes) write(mesh);
    },
  };
}
