import { errorFrom } from "../lib/errors.ts";
import type { Problem } from "./collection.ts";

/** Calls user functions, one input at a time, and remembers the inputs whose function threw. */
export class Problems {
  readonly #derivation: string;
  readonly #byInput = new Map<string, Problem>();

  constructor(derivation: string) {
    this.#derivation = derivation;
  }

  get byInput(): ReadonlyMap<string, Problem> {
    return this.#byInput;
  }

  /** The result of `work`, or undefined if it threw. Success clears an earlier problem of this input. */
  attempt<R extends object>(input: string, value: unknown, work: () => R): R | undefined {
    try {
      const result = work();
      this.clear(input);
      return result;
    } catch (thrown) {
      this.#byInput.set(input, { derivation: this.#derivation, input, value, cause: errorFrom(thrown) });
      return undefined;
    }
  }

  clear(input: string): void {
    this.#byInput.delete(input);
  }
}
