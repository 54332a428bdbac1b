import { addedNames, type NameSet, noNames } from "../resources/name-set.ts";

/** The names and the wildcard that a client subscribes to. */
export interface InterestFacts {
  readonly wildcard: boolean;
  readonly names: NameSet;
  /**
   * True until the client names a resource. After that an empty list unsubscribes instead of subscribing to everything
   * (xDS protocol: How the client specifies what resources to return).
   */
  readonly legacyWildcard: boolean;
  /**
   * Hash of the bytes of `names`. A SotW client repeats all names in every message, so equal bytes need no decoding.
   */
  readonly namesHash: bigint | undefined;
}

/** The interest of one client in one type, and how it changed since the last answers. */
export class Interest {
  #facts: InterestFacts;
  /** Names that the client asked for, and no answer with them has been accepted. Empty before the first answer. */
  readonly #newNames = new Set<string>();
  #wildcardWasLeft = false;

  constructor(legacyWildcard: boolean) {
    this.#facts = { wildcard: false, names: noNames, legacyWildcard, namesHash: undefined };
  }

  get facts(): InterestFacts {
    return this.#facts;
  }

  /**
   * The client unsubscribed from the wildcard, and no answer to a new wildcard has left since. After a new wildcard the
   * client holds nothing, or resources of answers that were in flight.
   */
  get wildcardWasLeft(): boolean {
    return this.#wildcardWasLeft;
  }

  wants(name: string): boolean {
    return this.#facts.wildcard || this.#facts.names.has(name);
  }

  /** Whether the client asked for this name after its first request, and has accepted no answer with it. */
  isNew(name: string): boolean {
    return this.#newNames.has(name);
  }

  /** `isAnswered` is false before the first answer. Fields that are not given stay unchanged. */
  change(facts: Partial<InterestFacts>, { isAnswered }: { readonly isAnswered: boolean }): void {
    const before = this.#facts;
    this.#facts = { ...before, ...facts };
    // Without the wildcard the client drops all resources that it did not name (xDS protocol: Unsubscribing From
    // Resources).
    if (before.wildcard && !this.#facts.wildcard) this.#wildcardWasLeft = true;
    if (!isAnswered || before.names === this.#facts.names) return;
    for (const name of addedNames(before.names, this.#facts.names)) this.#newNames.add(name);
    for (const name of this.#newNames) if (!this.wants(name)) this.#newNames.delete(name);
  }

  /** An answer to the current interest has left. */
  answered(): void {
    if (this.#facts.wildcard) this.#wildcardWasLeft = false;
  }

  /** The client accepted an answer with these names. They are computed only if some name is new. */
  accepted(names: () => Iterable<string>): void {
    if (this.#newNames.size > 0) for (const name of names()) this.#newNames.delete(name);
  }
}
