import type { Config, ConfigId } from "../../../config/config.ts";
import type { Catalogue } from "../catalogue.ts";
import type { Refusals } from "./refusals.ts";
import type { Rollouts } from "./rollouts.ts";
import { rolloutName, type ServedCatalogues } from "./served-catalogues.ts";
import type { SubstitutedCatalogues, Substitutes } from "./substituted-catalogues.ts";

export interface ScopeMeshesOptions {
  readonly served: ServedCatalogues;
  readonly catalogues: SubstitutedCatalogues;
  readonly refusals: Refusals;
  readonly rollouts: Pick<Rollouts, "of" | "all">;
  readonly currentOf: (id: ConfigId) => Config | undefined;
}

/** The catalogue of an ended search, which then belongs to the caller. */
type TakeCatalogue = () => Catalogue | undefined;

/** Keeps the catalogues that proxies are served from equal to the refusals and rollouts. */
export class ScopeMeshes {
  readonly #options: ScopeMeshesOptions;
  /** The scopes and rollouts that had a catalogue after the last update. */
  #scopes: ReadonlySet<string> = new Set();
  #rollouts: ReadonlySet<string> = new Set();

  constructor(options: ScopeMeshesOptions) {
    this.#options = options;
  }

  /**
   * Brings all catalogues to the current mesh. Nothing happens while nothing is refused. A mesh that has no catalogue yet
   * takes that of an ended search, if there is one: only the parts that differ are built.
   */
  async update(takeEnded: TakeCatalogue = () => undefined): Promise<void> {
    const { served, refusals, rollouts } = this.#options;
    const { scopes } = refusals;
    for (const { scope } of scopes) {
      const before = served.ofScope(scope.id) ?? takeEnded();
      served.setScope(scope.id, await this.#advance(before, refusals.substitutesOf(scope)));
    }
    const running = rollouts.all;
    for (const { scope, nodes } of running) {
      const before = served.rolloutOf(scope.classId)?.catalogue;
      const catalogue = await this.#advanceRollout(before, scope.classId, takeEnded);
      served.setRollout(scope.classId, { nodes, catalogue });
    }
    this.#drop(new Set(scopes.map(({ scope }) => scope.id)), new Set(running.map(({ scope }) => scope.classId)));
  }

  /** The meshes of scopes and rollouts, by their names in {@link ServedCatalogues}. */
  *all(): Generator<readonly [name: string, substitutes: Substitutes]> {
    const { refusals, rollouts } = this.#options;
    for (const { scope } of refusals.scopes) yield [scope.id, refusals.substitutesOf(scope)];
    for (const { scope } of rollouts.all) yield [rolloutName(scope.classId), this.rolloutSubstitutes(scope.classId)];
  }

  /** Everything that the proxies of a rollout get in place of refused objects. */
  rolloutSubstitutes(classId: string): ReadonlyMap<ConfigId, Config | undefined> {
    const { refusals, rollouts, currentOf } = this.#options;
    const substitutes = new Map(refusals.substitutesOf({ id: classId, classId }));
    for (const [id, config] of rollouts.of(classId)?.objects ?? []) {
      for (const each of refusals.of(classId).get(id)?.instead.objects.keys() ?? []) substitutes.delete(each);
      if (config !== currentOf(id)) substitutes.set(id, config);
    }
    return substitutes;
  }

  async #advanceRollout(before: Catalogue | undefined, classId: string, takeEnded: TakeCatalogue): Promise<Catalogue> {
    const { served, catalogues } = this.#options;
    const own = before === served.main ? undefined : before;
    const substitutes = this.rolloutSubstitutes(classId);
    if (substitutes.size > 0) return await this.#advance(own ?? takeEnded(), substitutes);
    if (own !== undefined) catalogues.drop(own);
    return served.main;
  }

  #advance(before: Catalogue | undefined, substitutes: ReadonlyMap<ConfigId, Config | undefined>): Promise<Catalogue> {
    return this.#options.catalogues.update(before, substitutes);
  }

  /** Drops the catalogues of scopes and rollouts that have ended. */
  #drop(scopes: ReadonlySet<string>, rollouts: ReadonlySet<string>): void {
    const { served, catalogues } = this.#options;
    for (const id of this.#rollouts.difference(rollouts)) {
      const catalogue = served.rolloutOf(id)?.catalogue;
      served.setRollout(id, undefined);
      if (catalogue !== undefined && catalogue !== served.main) catalogues.drop(catalogue);
    }
    for (const id of this.#scopes.difference(scopes)) {
      const catalogue = served.ofScope(id);
      served.setScope(id, undefined);
      if (catalogue !== undefined) catalogues.drop(catalogue);
    }
    this.#scopes = scopes;
    this.#rollouts = rollouts;
  }
}
