/** Names that go out together in an answer of their own, because a rejected answer carried them. */
export interface Batch {
  readonly names: readonly string[];
  /** True when the client has never been sent this content; false when it is tried once more. */
  readonly news: boolean;
}

/**
 * How many answers may be rejected in a row while the cause of one rejection is searched for. Searching by halves takes
 * some twelve for one bad resource among 3000. A client that refuses all of them must not be asked 3000 times.
 */
export const maxTries = 64;

/** What is known of an answer that was rejected, beside its names. */
interface RejectedAnswer {
  /** It was tried again because a rejected answer had it. */
  readonly again: boolean;
  /** There was one name in it, so that it is known what is wrong. */
  readonly alone: boolean;
}

/**
 * The names of one type that the client has not accepted as they were last sent. A rejection does not say which
 * resource it is about, and what became of the others depends on the type: Envoy applies the good clusters and listeners
 * of a rejected answer, unless one cannot even be decoded; of routes and endpoints it applies some. So every other name
 * is sent again, by halves, until each bad one has been rejected alone. From then on that one waits until it changes.
 */
export class RejectedNames {
  readonly #reasons = new Map<string, string>();
  #batches: readonly Batch[] = [];
  #triesLeft = 0;

  /** Why, in the client's words, by name. */
  get reasons(): ReadonlyMap<string, string> {
    return this.#reasons;
  }

  get size(): number {
    return this.#reasons.size;
  }

  has(name: string): boolean {
    return this.#reasons.has(name);
  }

  /** What is to be sent again, in this order, one answer for each. */
  get batches(): readonly Batch[] {
    return this.#batches;
  }

  /** The client said no to an answer that listed everything: nothing smaller can be sent. */
  rejectWhole(changed: readonly string[], reason: string): void {
    for (const name of [...this.#reasons.keys(), ...changed]) this.#reasons.set(name, reason);
  }

  /** The client said no to an answer with these names. */
  reject(names: readonly string[], reason: string, { again, alone }: RejectedAnswer): void {
    for (const name of names) this.#reasons.set(name, reason);
    this.#triesLeft = again ? this.#triesLeft - 1 : maxTries;
    if (this.#triesLeft <= 0) this.#batches = this.#batches.filter(({ news }) => news);
    else if (!alone) this.#batches = [...halvesOf(names), ...this.#batches];
  }

  /** The client has taken these as they were sent. A change of them that waits for its turn still does. */
  accept(names: readonly string[]): void {
    const waiting = new Set(this.#batches.flatMap((batch) => (batch.news ? batch.names : [])));
    const taken = new Set(names.filter((name) => !waiting.has(name)));
    this.keepOnly((name) => !taken.has(name));
  }

  /** The client has taken an answer that listed everything. */
  acceptWhole(): void {
    this.keepOnly(() => false);
  }

  /** These have left, and those changed but did not go with them: their turn comes next. */
  sent(names: readonly string[], postponed: readonly string[]): void {
    const leave = new Set([...names, ...postponed]);
    const left = this.#batches.map((batch) => ({ ...batch, names: batch.names.filter((name) => !leave.has(name)) }));
    const next = [{ names: postponed, news: true }, ...left];
    this.#batches = next.filter((batch) => batch.names.length > 0);
  }

  /** Forgets names that do not matter any more. */
  keepOnly(matters: (name: string) => boolean): void {
    for (const name of this.#reasons.keys()) if (!matters(name)) this.#reasons.delete(name);
    const batches = this.#batches.map((batch) => ({ ...batch, names: batch.names.filter(matters) }));
    this.#batches = batches.filter(({ names }) => names.length > 0);
  }
}

function halvesOf(names: readonly string[]): readonly Batch[] {
  const middle = Math.ceil(names.length / 2);
  const halves = [names.slice(0, middle), names.slice(middle)].filter((half) => half.length > 0);
  return halves.map((half) => ({ names: half, news: false }));
}
