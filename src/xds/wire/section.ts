/**
 * The bytes of one repeated field, collected while a message is scanned. Writers put a repeated field in one run, which
 * needs no copy. Values outside the run are legal too.
 */
export class Section {
  readonly #message: Uint8Array;
  readonly #runs: { readonly start: number; end: number }[] = [];
  size = 0;

  constructor(message: Uint8Array) {
    this.#message = message;
  }

  /** Adds one value, or several adjacent ones, tags included. */
  add(tagStart: number, end: number, count = 1): void {
    this.size += count;
    const last = this.#runs.at(-1);
    if (last?.end === tagStart) last.end = end;
    else this.#runs.push({ start: tagStart, end });
  }

  /** A view of the message where possible. */
  get bytes(): Uint8Array {
    const parts = this.#runs.map(({ start, end }) => this.#message.subarray(start, end));
    const [first, second] = parts;
    return first !== undefined && second === undefined ? first : Buffer.concat(parts);
  }
}
