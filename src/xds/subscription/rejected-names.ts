/** Names that leave together in a separate answer, because a rejected answer carried them. */
export interface Batch {
  readonly names: readonly string[];
  /** True when the client was never sent this content; false for a retry. */
  readonly unsent: boolean;
}

/**
 * The limit of consecutive NACKs while the server searches for the cause of one NACK. Searching by halves takes about
 * twelve for one bad resource among 3000. A client that rejects everything must not get 3000 retries.
 */
export const maxTries = 64;

/** Facts about a rejected answer, beside its names. */
interface RejectedAnswer {
  /** The answer was a retry of a rejected answer. */
  readonly isRetry: boolean;
  /** The answer had a single name, so the bad resource is known. */
  readonly alone: boolean;
}

/**
 * The names of one type whose last sent version the client has not accepted. A NACK does not say which resource is bad.
 * The effect on the other resources depends on the type. Envoy applies the good clusters and listeners of a rejected
 * answer, unless one cannot even be decoded. Of routes and endpoints Envoy applies some. So the server sends every
 * other name again, by halves, until each bad name was rejected alone. Then that name waits until it changes.
 */
export class RejectedNames {
  readonly #reasons = new Map<string, string>();
  #batches: readonly Batch[] = [];
  #triesLeft = 0;

  /** The client's error message, by name. */
  get reasons(): ReadonlyMap<string, string> {
    return this.#reasons;
  }

  get size(): number {
    return this.#reasons.size;
  }

  /** No name is rejected, and none waits for its turn. */
  get isEmpty(): boolean {
    return this.#reasons.size === 0 && this.#batches.length === 0;
  }

  has(name: string): boolean {
    return this.#reasons.has(name);
  }

  /** The batches to send again, in this order, one answer per batch. */
  get batches(): readonly Batch[] {
    return this.#batches;
  }

  /** The client rejected an answer that listed everything, so no smaller answer is possible. */
  rejectWhole(changed: readonly string[], reason: string): void {
    for (const name of [...this.#reasons.keys(), ...changed]) this.#reasons.set(name, reason);
  }

  /** The client rejected an answer with these names. */
  reject(names: readonly string[], reason: string, { isRetry, alone }: RejectedAnswer): void {
    for (const name of names) this.#reasons.set(name, reason);
    this.#triesLeft = isRetry ? this.#triesLeft - 1 : maxTries;
    if (this.#triesLeft <= 0) this.#batches = this.#batches.filter(({ unsent }) => unsent);
    else if (!alone) this.#batches = [...halvesOf(names), ...this.#batches];
  }

  /** The client accepted these names as sent. A change of them that waits for its turn still waits. */
  accept(names: readonly string[]): void {
    const waiting = new Set(this.#batches.flatMap((batch) => (batch.unsent ? batch.names : [])));
    const taken = new Set(names.filter((name) => !waiting.has(name)));
    this.keepOnly((name) => !taken.has(name));
  }

  /** The client accepted an answer that listed everything. */
  acceptWhole(): void {
    this.keepOnly(() => false);
  }

  /** These names have left. The postponed names changed but did not leave with them; their turn comes next. */
  sent(names: readonly string[], postponed: readonly string[]): void {
    const leave = new Set([...names, ...postponed]);
    const left = this.#batches.map((batch) => ({ ...batch, names: batch.names.filter((name) => !leave.has(name)) }));
    const next = [{ names: postponed, unsent: true }, ...left];
    this.#batches = next.filter((batch) => batch.names.length > 0);
  }

  /** Sends no names again that did not change. */
  stopRetries(): void {
    this.#batches = this.#batches.filter(({ unsent }) => unsent);
  }

  /** Forgets names that fail the predicate. */
  keepOnly(matters: (name: string) => boolean): void {
    for (const name of this.#reasons.keys()) if (!matters(name)) this.#reasons.delete(name);
    const batches = this.#batches.map((batch) => ({ ...batch, names: batch.names.filter(matters) }));
    this.#batches = batches.filter(({ names }) => names.length > 0);
  }
}

function halvesOf(names: readonly string[]): readonly Batch[] {
  const middle = Math.ceil(names.length / 2);
  const halves = [names.slice(0, middle), names.slice(middle)].filter((half) => half.length > 0);
  return halves.map((half) => ({ names: half, unsent: false }));
}
