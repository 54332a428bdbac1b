import type { Config, ConfigId } from "../../../config/config.ts";
import type { Catalogue } from "../catalogue.ts";
import type { CandidateMesh, ServedCatalogues } from "../quarantine/served-catalogues.ts";
import type { SubstitutedCatalogues, Substitutes } from "../quarantine/substituted-catalogues.ts";

export interface CandidatesOptions {
  readonly served: Pick<ServedCatalogues, "setCandidate">;
  readonly catalogues: SubstitutedCatalogues;
  /** The meshes beside that of the users: their names, and what stands in place of refused objects. */
  readonly alternatives: () => Iterable<readonly [name: string, substitutes: Substitutes]>;
}

/**
 * The catalogues with a staged change: that of the users' mesh, and those of proxies that refuse objects. The change
 * stands before refused versions, because it is newer.
 */
export class Candidates {
  readonly #options: CandidatesOptions;
  /** By the name of the mesh without the change. Undefined is that of the users. */
  readonly #byName = new Map<string | undefined, Catalogue>();

  constructor(options: CandidatesOptions) {
    this.#options = options;
  }

  /** Brings the catalogues to the current mesh with these objects, and serves them to these proxies. */
  async serve(objects: ReadonlyMap<ConfigId, Config | undefined>, has: CandidateMesh["has"]): Promise<void> {
    const { served, catalogues, alternatives } = this.#options;
    const names = new Set<string | undefined>();
    for (const [name, substitutes] of [[undefined, new Map()] as const, ...alternatives()]) {
      names.add(name);
      this.#byName.set(name, await catalogues.update(this.#byName.get(name), new Map([...substitutes, ...objects])));
    }
    this.#dropExcept(names);
    served.setCandidate({ has, catalogueOf: (name) => this.#byName.get(name) });
  }

  /** Nobody gets a staged change any more. The catalogues are dropped with {@link drop}, while no push runs. */
  end(): void {
    this.#options.served.setCandidate(undefined);
  }

  drop(): void {
    this.#dropExcept(new Set());
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  #dropExcept(names: ReadonlySet<string | undefined>): void {
    for (const [name, catalogue] of this.#byName) {
      if (names.has(name)) continue;
      this.#byName.delete(name);
      this.#options.catalogues.drop(catalogue);
    }
  }
}
