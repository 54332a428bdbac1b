import { assert } from "../lib/assert.ts";
import { positionOf } from "./position-of.ts";

/**
 * Records which inputs yield which output key. The smallest input key wins, so the order of arrival does not decide.
 * When the winner goes, the next input takes over.
 */
export class Claims {
  /** Sorted and never empty. */
  readonly #inputsOf = new Map<string, string[]>();

  add(output: string, input: string): void {
    const inputs = this.#inputsOf.get(output);
    if (inputs === undefined) this.#inputsOf.set(output, [input]);
    else inputs.splice(positionOf(inputs, input), 0, input);
  }

  remove(output: string, input: string): void {
    const inputs = this.#inputsOf.get(output) ?? [];
    const position = positionOf(inputs, input);
    assert(inputs[position] === input, `${input} has claimed ${output}`);
    inputs.splice(position, 1);
    if (inputs.length === 0) this.#inputsOf.delete(output);
  }

  clear(): void {
    this.#inputsOf.clear();
  }

  winner(output: string): string | undefined {
    return this.#inputsOf.get(output)?.[0];
  }
}
