import { assert } from "../lib/assert.ts";
import { positionOf } from "./position-of.ts";

/**
 * Records which inputs yield which output key. The smallest input key wins, so the order of arrival does not decide.
 * When the winner goes, the next input takes over.
 */
export class Claims {
  /** The input of an output, or several, sorted. Most outputs have one, and an array for each would cost memory. */
  readonly #inputsOf = new Map<string, string | string[]>();

  add(output: string, input: string): void {
    const inputs = this.#inputsOf.get(output);
    if (inputs === undefined) this.#inputsOf.set(output, input);
    else if (typeof inputs !== "string") inputs.splice(positionOf(inputs, input), 0, input);
    else this.#inputsOf.set(output, inputs < input ? [inputs, input] : [input, inputs]);
  }

  remove(output: string, input: string): void {
    const inputs = this.#inputsOf.get(output) ?? [];
    if (typeof inputs === "string") {
      assert(inputs === input, `${input} has claimed ${output}`);
      this.#inputsOf.delete(output);
      return;
    }
    const position = positionOf(inputs, input);
    assert(inputs[position] === input, `${input} has claimed ${output}`);
    inputs.splice(position, 1);
    if (inputs.length === 0) this.#inputsOf.delete(output);
  }

  clear(): void {
    this.#inputsOf.clear();
  }

  winner(output: string): string | undefined {
    const inputs = this.#inputsOf.get(output);
    return typeof inputs === "string" ? inputs : inputs?.[0];
  }
}
