import { ProtoWriter } from "../../../src/lib/proto-writer/proto-writer.ts";
import { mergePushRequests, type PushRequest } from "../../../src/pilot/model/push-request.ts";
import { Catalogue } from "../../../src/pilot/xds/catalogue.ts";
import { createGenerators } from "../../../src/pilot/xds/generators.ts";
import { HeldLeases, type LeasedContents } from "../../../src/testing/mesh/held-leases.ts";
import type { EditedMesh } from "./edited-mesh.ts";
import { clientOf } from "./nodes.ts";
import { type FamilyName, type Plant, withPlant } from "./plants.ts";

interface Planted {
  readonly plant: Plant;
  readonly families: ReadonlySet<FamilyName>;
  readonly catalogue: Catalogue;
  readonly held: HeldLeases;
}

/** Finds one family that a plant made stale, or had made to run otherwise. */
type Finding = (plant: Plant, family: FamilyName) => void;

/** Plants, each with the families that it is planted in. */
export type PlantedFamilies = ReadonlyMap<Plant, ReadonlySet<FamilyName>>;

const noTurn = () => Promise.resolve();
const ignored = () => undefined;

/** Catalogues with one plant each, which follow the pushes of one server beside its own. They serve planted families alone. */
export class PlantedCatalogues {
  readonly #mesh: EditedMesh;
  readonly #planted: readonly Planted[];
  #seen: number;

  constructor(mesh: EditedMesh, plants: PlantedFamilies, onEffect: Finding) {
    this.#mesh = mesh;
    const { catalogue: own } = mesh.mesh.discovery;
    this.#seen = mesh.mesh.requests.length;
    const clients = mesh.nodes.map(clientOf);
    const generators = createGenerators({ writer: new ProtoWriter() });
    this.#planted = Array.from(plants, ([plant, families]) => {
      const forgetful = withPlant(generators, plant, families, (family) => onEffect(plant, family));
      const catalogue = new Catalogue(forgetful, own.published, ignored);
      return { plant, families, catalogue, held: new HeldLeases(catalogue, clients) };
    });
  }

  /** Pushes what the server has pushed since, and tells what differs from the truth then. */
  async follow(truth: LeasedContents, onFound: Finding): Promise<void> {
    const { requests, discovery } = this.#mesh.mesh;
    const news = requests.slice(this.#seen);
    this.#seen = requests.length;
    const request = news.reduce<PushRequest | undefined>(mergePushRequests, undefined);
    if (request === undefined) return;
    const wanted = truth.map(byFamily);
    for (const { plant, families, catalogue, held } of this.#planted) {
      await catalogue.advance(discovery.catalogue.published, request, noTurn);
      held.renew();
      const found = held.contents().map(byFamily);
      for (const family of families) {
        if (wanted.some((each, client) => each.get(family) !== found[client]?.get(family))) onFound(plant, family);
      }
    }
  }
}

function byFamily(contents: readonly string[]): ReadonlyMap<FamilyName, string> {
  const groups = Map.groupBy(contents, (line) => line.split(" ", 2).join(" ") as FamilyName);
  return new Map(Array.from(groups, ([family, lines]) => [family, lines.join("\n")]));
}
