/**
 * The bytes of one repeated field, collected while a message is scanned. Writers put a repeated field in one run, which
 * is taken as it stands; a value that stands apart is legal all the same.
 */
export class Section {
  readonly #message: Uint8Array;
  readonly #runs: { readonly start: number; end: number }[] = [];
  size = 0;

  constructor(message: Uint8Array) {
    this.#message = message;
  }

  /** One more value, tag included. */
  add(tagStart: number, end: number): void {
    this.size++;
    const last = this.#runs.at(-1);
    if (last?.end === tagStart) last.end = end;
    else this.#runs.push({ start: tagStart, end });
  }

  /** A view of the message where that is possible. */
  get bytes(): Uint8Array {
    const parts = this.#runs.map(({ start, end }) => this.#message.subarray(start, end));
    return parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts);
  }
}
