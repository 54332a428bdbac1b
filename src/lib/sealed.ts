/**
 * A value that must not be shown. Logs, JSON, `util.inspect`, string templates and structured clones of it hold nothing.
 * Only code that calls `reveal` sees the value, so `reveal` is easy to search for. `test/secret-law.test.ts` lists its callers.
 */
export class Sealed<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toJSON(): string {
    return hidden;
  }

  toString(): string {
    return hidden;
  }
}

const hidden = "[redacted]";
