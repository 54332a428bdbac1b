/** One request of a sink, without what is large in it. */
export interface JournalEntry {
  /** In the clock's milliseconds. */
  readonly at: number;
  readonly collection: string;
  readonly nonce: string;
  readonly incremental: boolean;
  /** Absent unless it is a NACK. */
  readonly error?: { readonly code: number; readonly message: string };
}

const length = 32;

/** The last requests, for people who look (SNK-8). */
export class Journal {
  readonly #entries: JournalEntry[] = [];

  add(entry: JournalEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > length) this.#entries.shift();
  }

  /** Oldest first. */
  get entries(): readonly JournalEntry[] {
    return [...this.#entries];
  }
}
