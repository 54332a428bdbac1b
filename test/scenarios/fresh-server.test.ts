import fc from "fast-check";
import { expect, test } from "vitest";
import { HeldLeases } from "../../src/testing/mesh/held-leases.ts";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { WrittenObjects } from "../../src/testing/mesh/written-objects.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { clients } from "./fresh-server/clients.ts";

test("a server serves after every edit what a fresh server with the same objects would", async () => {
  await fc.assert(
    fc.asyncProperty(interactingEdits, async (batches) => {
      const objects = new WrittenObjects();
      const mesh = await ScenarioMesh.serving("");
      const held = new HeldLeases(mesh.discovery.catalogue, clients);
      for (const batch of batches) {
        mesh.batch(() => {
          for (const edit of batch) objects.edit(edit, mesh);
        });
        await mesh.pushed();
        held.renew();
        expect(mesh.problems).toEqual([]);
        const fresh = await ScenarioMesh.serving(objects.texts.join("\n---\n"));
        expect(held.contents()).toEqual(new HeldLeases(fresh.discovery.catalogue, clients).contents());
      }
    }),
    { seed, numRuns: runs(10) },
  );
});
