import type { Lease } from "../../xds/resource-source.ts";
import type { NameSet } from "../../xds/resources/name-set.ts";
import type { Target } from "../../xds/resources/target.ts";
import type { Part } from "./part.ts";
import type { FamilyInputs } from "./part-inputs.ts";

/** A lease's hold on one part. */
export interface Hold {
  readonly part: Part;
  /** Undefined for parts that are not made by name. */
  readonly names: NameSet | undefined;
}

/** The catalogue, as its leases see it. */
interface LeasedCatalogue {
  /** Counts the changes of sets. */
  readonly revision: { readonly count: number };
  readonly release: (hold: Hold) => void;
}

/** A proxy's lease on its parts of one type. */
export class PartLease implements Lease {
  /** Of the parts. The same object as long as they are equal. */
  readonly inputs: readonly FamilyInputs[];
  readonly #holds: readonly Hold[];
  readonly #catalogue: LeasedCatalogue;
  /** The sets when all of them could last be made. */
  #made: Target = [];
  #target: Target | undefined;
  /** The revision of `#target`. */
  #seen = -1;

  constructor(inputs: readonly FamilyInputs[], holds: readonly Hold[], catalogue: LeasedCatalogue) {
    this.inputs = inputs;
    this.#holds = holds;
    this.#catalogue = catalogue;
  }

  /**
   * The sets as they are now, or `undefined` when something in them cannot be made. One object for the same sets. A
   * stream asks often, so the parts are only looked at after some set has changed.
   */
  get target(): Target | undefined {
    const { count } = this.#catalogue.revision;
    if (this.#seen !== count) {
      this.#target = this.#look();
      this.#seen = count;
    }
    return this.#target;
  }

  #look(): Target | undefined {
    const before = this.#made;
    let isSame = before.length === this.#holds.length;
    for (const [index, { part, names }] of this.#holds.entries()) {
      if (part.set === undefined || (names !== undefined && !names.isDisjointFrom(part.unmade))) return undefined;
      isSame &&= before[index] === part.set;
    }
    if (!isSame) this.#made = this.#holds.flatMap(({ part }) => part.set ?? []);
    return this.#made;
  }

  get madeMs(): number {
    return this.#holds.reduce((sum, { part }) => sum + part.madeMs, 0);
  }

  /** Names the class of proxies that share these parts: streams are served class by class. */
  get id(): string {
    return this.#holds.map(({ part }) => part.key).join("\n");
  }

  end(): void {
    for (const hold of this.#holds) this.#catalogue.release(hold);
  }
}
