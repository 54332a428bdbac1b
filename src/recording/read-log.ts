/** From which read on a value was another one. */
export type ChangedReads<T> = readonly (readonly [read: number, value: T])[];

/** Notes a value at each read. Equal values in a row cost nothing. */
export class ReadLog<T> {
  readonly #changes: [number, T][] = [];
  #last: T;
  #reads = 0;

  constructor(first: T) {
    this.#last = first;
  }

  get changes(): ChangedReads<T> {
    return this.#changes;
  }

  note(value: T): T {
    if (value !== this.#last) this.#changes.push([this.#reads, value]);
    this.#last = value;
    this.#reads += 1;
    return value;
  }
}

/** The noted values, read again in their order. Further reads get the last one. */
export class ReplayedReads<T> {
  readonly #changes: ChangedReads<T>;
  #next = 0;
  #last: T;
  #reads = 0;

  constructor(first: T, changes: ChangedReads<T>) {
    this.#last = first;
    this.#changes = changes;
  }

  next(): T {
    const change = this.#changes[this.#next];
    if (change !== undefined && change[0] <= this.#reads) {
      this.#last = change[1];
      this.#next += 1;
    }
    this.#reads += 1;
    return this.#last;
  }
}
