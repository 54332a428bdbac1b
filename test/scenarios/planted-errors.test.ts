import fc from "fast-check";
import { expect, test } from "vitest";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import type { ObjectEdit, WrittenObject } from "../../src/testing/mesh/written-objects.ts";
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

type Batch = readonly ObjectEdit[];
type OpenErrors = Map<Plant, Set<FamilyName>>;

/**
 * Compares servers with planted errors to a fresh server, until all errors are found.
 * @param histories for each a new mesh; it may choose its next change by the errors that are still open
 */
async function search(plants: PlantedFamilies, histories: readonly ((open: OpenErrors) => Iterable<Batch>)[]) {
  const open: OpenErrors = new Map(Array.from(plants, ([plant, families]) => [plant, new Set(families)]));
  const effects = new Map<string, number>();
  let steps = 0;
  for (const history of histories) {
    if (open.size === 0) break;
    const mesh = await EditedMesh.start(usualNodes);
    const planted = new PlantedCatalogues(mesh, open, (plant, family) => {
      const name = errorName(plant, family);
      effects.set(name, (effects.get(name) ?? 0) + 1);
    });
    for (const batch of history(open)) {
      await mesh.edit(batch);
      await planted.follow(await mesh.fresh(), (plant, family) => open.get(plant)?.delete(family));
      for (const [plant, families] of open) if (families.size === 0) open.delete(plant);
      steps += 1;
    }
  }
  const missed = Array.from(open, ([plant, families]) => Array.from(families, (family) => errorName(plant, family)));
  return { missed: missed.flat().toSorted(), effects, steps };
}

function service(name: string, number: number, address: string): WrittenObject {
  const metadata = { namespace: "a", name };
  const ports = [{ number, name: "http", protocol: "HTTP" }];
  const spec = { hosts: [`${name}.a.svc.cluster.local`], ports, resolution: "STATIC", endpoints: [{ address }] };
  return { apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata, spec };
}

/** Random edits seldom add a service without changing another one. */
const arriving = [false, true].map((deleted) => ({ object: service("arriving", 84, "10.0.0.1"), deleted }));
/** Nor do they often change the instances at an address without changing their service. */
const moving = ["10.0.0.1", "10.0.0.2"].map((each) => ({ object: service("moving", 85, each), deleted: false }));

interface Sought {
  readonly plant: Plant;
  readonly families: readonly FamilyName[];
  /** Edits that can show the error: random ones of a kind, perhaps of one name, or these. */
  readonly shownBy: { readonly kind: string; readonly name?: string } | readonly ObjectEdit[];
}

const handful: readonly Sought[] = [
  {
    plant: { way: "concerns", kind: "Service" },
    families: ["RDS sidecar"],
    shownBy: { kind: "ServiceEntry", name: "core" },
  },
  {
    plant: { way: "concerns", kind: "DestinationRule" },
    families: ["CDS outbound"],
    shownBy: { kind: "DestinationRule", name: "core" },
  },
  {
    plant: { way: "concerns", kind: "PeerAuthentication" },
    families: ["LDS inbound"],
    shownBy: { kind: "PeerAuthentication" },
  },
  {
    plant: { way: "concerns", kind: "RequestAuthentication" },
    families: ["LDS inbound", "LDS gateway"],
    shownBy: { kind: "RequestAuthentication" },
  },
  { plant: { way: "concerns", kind: "Endpoints" }, families: ["LDS outbound"], shownBy: { kind: "EndpointSlice" } },
  { plant: { way: "concerns", kind: "Instance" }, families: ["CDS inbound"], shownBy: moving },
  { plant: { way: "concerns", kind: "Extension" }, families: ["ECDS extensions"], shownBy: { kind: "WasmPlugin" } },
  { plant: { way: "entered", kind: "any" }, families: ["EDS outbound"], shownBy: arriving },
  {
    plant: { way: "affected", kind: "VirtualService" },
    families: ["RDS sidecar"],
    shownBy: { kind: "VirtualService", name: "core" },
  },
];

type Edits = ReadonlyMap<Plant, Iterator<ObjectEdit>>;

const roundsPerHistory = 6;

/** The first change of a random history, then in turn one edit for each error that is still open. */
function* directed(first: Batch, edits: Edits, open: OpenErrors): Iterable<Batch> {
  yield first;
  for (let round = 0; round < roundsPerHistory; round += 1) {
    for (const { plant } of handful) {
      const edit = open.has(plant) ? edits.get(plant)?.next().value : undefined;
      if (edit !== undefined) yield [edit];
    }
  }
}

/** Whether the history begins with objects that name each other. */
function isWithCore([first = []]: readonly Batch[]): boolean {
  return first.some(({ object }) => object.metadata.name === "core");
}

function* endlessly<T>(list: readonly T[]): Iterator<T> {
  for (;;) yield* list;
}

test("comparison with a fresh server finds some planted errors within a few changes that can show them", async () => {
  const histories = fc.sample(interactingEdits, { seed, numRuns: 200 });
  const changes = histories.flatMap(([, ...later]) => later.flat());
  const edits = new Map(
    handful.map(({ plant, shownBy }) => {
      if (!("kind" in shownBy)) return [plant, endlessly(shownBy)];
      const { kind, name } = shownBy;
      const isShowing = ({ object }: ObjectEdit) =>
        object.kind === kind && (name ?? object.metadata.name) === object.metadata.name;
      return [plant, changes.filter(isShowing).values()];
    }),
  );
  const { missed } = await search(
    new Map(handful.map(({ plant, families }) => [plant, new Set(families)])),
    histories
      .filter(isWithCore)
      .slice(0, 20)
      .map(
        ([first = []]) =>
          (open) =>
            directed(first, edits, open),
      ),
  );
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
    const { missed, effects, steps } = await search(
      all,
      fc.sample(interactingEdits, { seed, numRuns: histories }).map((batches) => () => batches),
    );
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
