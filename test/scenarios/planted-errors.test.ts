import fc from "fast-check";
import { expect, test } from "vitest";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import { seed } from "../../src/testing/random/seed.ts";
import { EditedMesh } from "./fresh-server/edited-mesh.ts";
import { usualNodes } from "./fresh-server/nodes.ts";
import { PlantedCatalogues, type PlantedFamilies } from "./fresh-server/planted-catalogues.ts";
import { allPlants, type FamilyName, familiesFor, type Plant } from "./fresh-server/plants.ts";

const whole = process.env["BINNACLE_WHOLE"] === "1";

/** The name of one planted error in one family. */
function errorName({ way, kind }: Plant, family: FamilyName): string {
  return `${way} ${kind} ${family}`;
}

interface Search {
  readonly seed: number;
  readonly histories: number;
}

/** Compares servers with planted errors to a fresh server, until all errors are found. */
async function search(plants: PlantedFamilies, { seed: chosen, histories }: Search) {
  const open = new Map(Array.from(plants, ([plant, families]) => [plant, new Set(families)]));
  const effects = new Map<string, number>();
  let steps = 0;
  for (const batches of fc.sample(interactingEdits, { seed: chosen, numRuns: histories })) {
    const mesh = await EditedMesh.start(usualNodes);
    const planted = new PlantedCatalogues(mesh, open, (plant, family) => {
      const name = errorName(plant, family);
      effects.set(name, (effects.get(name) ?? 0) + 1);
    });
    for (const batch of batches) {
      await mesh.edit(batch);
      await planted.follow(await mesh.fresh(), (plant, family) => open.get(plant)?.delete(family));
      steps += 1;
    }
    for (const [plant, families] of open) if (families.size === 0) open.delete(plant);
    if (open.size === 0) break;
  }
  const missed = Array.from(open, ([plant, families]) => Array.from(families, (family) => errorName(plant, family)));
  return { missed: missed.flat().toSorted(), effects, steps };
}

const handful: PlantedFamilies = new Map<Plant, ReadonlySet<FamilyName>>([
  [{ way: "concerns", kind: "Service" }, new Set(["RDS sidecar"])],
  [{ way: "concerns", kind: "DestinationRule" }, new Set(["CDS outbound"])],
  [{ way: "concerns", kind: "PeerAuthentication" }, new Set(["LDS inbound"])],
  [{ way: "concerns", kind: "RequestAuthentication" }, new Set(["LDS inbound", "LDS gateway"])],
  [{ way: "concerns", kind: "Endpoints" }, new Set(["LDS outbound"])],
  [{ way: "concerns", kind: "Instance" }, new Set(["CDS inbound"])],
  [{ way: "concerns", kind: "Extension" }, new Set(["ECDS extensions"])],
  [{ way: "entered", kind: "any" }, new Set(["EDS outbound"])],
  [{ way: "affected", kind: "VirtualService" }, new Set(["RDS sidecar"])],
]);

test("comparison with a fresh server finds some planted errors within a few changes", async () => {
  const { missed } = await search(handful, { seed: 2, histories: 12 });
  expect(missed).toEqual([]);
});

/**
 * Errors without an effect. A changed service is another object in the scope, and these families compare the scope. The
 * id of a service adds two facts that these families do not need. One is the accounts of its peers. The other is a
 * service of the same name outside the scope. Outbound listeners need the second fact, and clusters the first.
 */
const harmless = new Set([
  "affected Service EDS outbound",
  "affected Service EDS sni-dnat",
  "affected Service LDS gateway",
]);

/** `npm run planted` searches for all of them. */
const searches = whole ? [{ histories: 400 }] : [];

test.each(searches)(
  "comparison with a fresh server finds nearly all planted errors that alter a run, and lists the others",
  async ({ histories }) => {
    const generators = createGenerators({ writer: new ProtoWriter() });
    const all = new Map(allPlants.map((plant) => [plant, familiesFor(plant, generators)]));
    const count = [...all.values()].reduce((sum, { size }) => sum + size, 0);
    const { missed, effects, steps } = await search(all, { seed, histories });
    const without = missed.filter((name) => !effects.has(name));
    const hidden = missed.filter((name) => effects.has(name) && !harmless.has(name));
    const found = count - missed.length;
    // A found error has an effect, so it does not belong in the list.
    expect([...harmless].filter((name) => !missed.includes(name))).toEqual([]);
    process.stderr.write(`${found} of ${count} planted errors found in ${steps} changes\n`);
    process.stderr.write(`${without.length} altered no run:${listed(without)}`);
    const counted = hidden.map((name) => `${name}, ${effects.get(name)} runs`);
    process.stderr.write(`${hidden.length} altered runs and were not found:${listed(counted)}`);
    expect(found / (found + hidden.length)).toBeGreaterThan(0.95);
  },
);

function listed(names: readonly string[]): string {
  return `${names.map((name) => `\n  ${name}`).join("")}\n`;
}
