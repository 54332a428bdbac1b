/** One request of a sink, without its large parts. */
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
/** Enough for people. Texts of a peer must not fill our memory. */
const textLength = 500;

/** The last requests, for status pages (SNK-8). */
export class Journal {
  readonly #entries: JournalEntry[] = [];

  add({ at, collection, nonce, incremental, error }: JournalEntry): void {
    this.#entries.push({
      at,
      collection: clip(collection),
      nonce: clip(nonce),
      incremental,
      ...(error && { error: { code: error.code, message: clip(error.message) } }),
    });
    if (this.#entries.length > length) this.#entries.shift();
  }

  /** Oldest first. */
  get entries(): readonly JournalEntry[] {
    return [...this.#entries];
  }
}

function clip(text: string): string {
  return text.length <= textLength ? text : `${text.slice(0, textLength)}…`;
}
