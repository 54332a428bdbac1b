import type { Config, ConfigId } from "../../../config/config.ts";
import type { Replacement } from "../../registry/instead-of.ts";
import { Finder, type Offender } from "./finder.ts";
import type { ProbeVerdict, Probing } from "./probing.ts";
import type { SuspectList } from "./suspects.ts";

export interface SearchOptions {
  readonly probing: Pick<Probing, "probe">;
  readonly currentOf: (id: ConfigId) => Config | undefined;
  /** The replacement, in a probe, for a suspect that the probe does not test. */
  readonly insteadOf: (id: ConfigId, accepted: Config | undefined) => Replacement;
  /** The suspects that the words of the proxy point at. */
  readonly named: (reason: string, suspects: readonly ConfigId[]) => ReadonlySet<ConfigId>;
  /** Substitutes that are no matter of the search. */
  readonly others: () => ReadonlyMap<ConfigId, Config | undefined>;
  /** Whether a rejection counts only if the proxy repeats it. */
  readonly repeats: () => boolean;
  /** The form in which a probe tests an object. Undefined if it is the object itself. */
  readonly testedAs: (config: Config) => Config | undefined;
}

/** The result of a search. */
export interface Found {
  readonly offenders: readonly Offender<ConfigId>[];
  /** The suspects among which they were found. */
  readonly list: SuspectList;
  /** The versions of the suspects that were tested. */
  readonly pinned: ReadonlyMap<ConfigId, Config | undefined>;
}

/** Searches objects that a proxy rejects, list by list. Probes test the versions that objects have at the begin. */
export class Search {
  readonly #options: SearchOptions;
  #probes = 0;
  #suspects: readonly ConfigId[] = [];
  #changedVerdict = false;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  get probes(): number {
    return this.#probes;
  }

  /** The proxy rejected a mesh and then accepted it. */
  get changedVerdict(): boolean {
    return this.#changedVerdict;
  }

  /** The suspects in the last list. */
  get suspects(): readonly ConfigId[] {
    return this.#suspects;
  }

  /**
   * Undefined if nothing was found. `rejection` is the reason why the proxy rejected all suspects together, if it is
   * known to reject them.
   */
  async run(lists: readonly SuspectList[], rejection: string | undefined): Promise<Found | undefined> {
    for (const list of lists) {
      this.#suspects = [...list.keys()];
      const pinned = new Map(Array.from(list.keys(), (id) => [id, this.#options.currentOf(id)]));
      const finder = this.#finderFor([...list.keys()], rejection);
      await this.#probeAll(finder, list, pinned);
      const { findings } = finder;
      if (findings?.type === "found") return { offenders: findings.offenders, list, pinned };
      // Without a verdict the proxy cannot answer for other lists either.
      if (findings === undefined) return undefined;
    }
    return undefined;
  }

  #finderFor(suspects: readonly ConfigId[], rejection: string | undefined): Finder<ConfigId> {
    const named = this.#options.named(rejection ?? "", suspects);
    const unnamed = suspects.filter((id) => !named.has(id));
    return new Finder([...unnamed, ...named], rejection, named.size);
  }

  /** Probes until the search has ended or the proxy gives no verdict. */
  async #probeAll(finder: Finder<ConfigId>, list: SuspectList, pinned: Found["pinned"]): Promise<void> {
    const { others, insteadOf } = this.#options;
    const instead = Array.from(list, ([id, accepted]) => [id, insteadOf(id, accepted).objects] as const);
    for (let next = finder.next; next !== undefined; next = finder.next) {
      const tested = new Set(next);
      const substitutes = new Map(others());
      for (const [id, objects] of instead) {
        for (const [each, config] of objects) {
          if (!tested.has(id)) substitutes.set(each, config);
          else substitutes.delete(each);
        }
        if (tested.has(id)) this.#addTested(id, pinned.get(id), substitutes);
      }
      const verdict = await this.#verdictOn(substitutes);
      if (verdict.type === "none") return;
      if (verdict.type === "accepted") finder.accepted();
      else finder.rejected(verdict.reason);
    }
  }

  /** The version that is tested, unless it is the current one as it is. */
  #addTested(id: ConfigId, pinned: Config | undefined, substitutes: Map<ConfigId, Config | undefined>): void {
    const { currentOf, testedAs } = this.#options;
    const other = pinned && testedAs(pinned);
    if (other !== undefined) substitutes.set(id, other);
    else if (pinned !== currentOf(id)) substitutes.set(id, pinned);
  }

  /** A proxy that rejects at random mostly does not reject the same mesh twice. */
  async #verdictOn(substitutes: ReadonlyMap<ConfigId, Config | undefined>): Promise<ProbeVerdict> {
    const verdict = await this.#probe(substitutes);
    if (verdict.type !== "rejected" || !this.#options.repeats()) return verdict;
    const again = await this.#probe(substitutes);
    if (again.type !== "accepted") return again;
    this.#changedVerdict = true;
    return { type: "none" };
  }

  async #probe(substitutes: ReadonlyMap<ConfigId, Config | undefined>): Promise<ProbeVerdict> {
    const verdict = await this.#options.probing.probe(substitutes);
    if (verdict.type !== "none") this.#probes += 1;
    return verdict;
  }
}
