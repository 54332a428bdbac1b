import { assert } from "../lib/assert.ts";

/** The outputs of one input by key. */
export interface Outputs<T> {
  readonly size: number;
  has(key: string): boolean;
  get(key: string): T | undefined;
  keys(): Iterable<string>;
  /** Replaces an output that is there. */
  set(key: string, value: T): void;
}

/** Most inputs have one output. A Map for each would take more memory than the outputs. */
class OneOutput<T> implements Outputs<T> {
  readonly size = 1;
  readonly key: string;
  value: T;

  constructor(key: string, value: T) {
    this.key = key;
    this.value = value;
  }

  has(key: string): boolean {
    return key === this.key;
  }

  get(key: string): T | undefined {
    return key === this.key ? this.value : undefined;
  }

  keys(): Iterable<string> {
    return [this.key];
  }

  set(key: string, value: T): void {
    assert(key === this.key, `${key} is an output`);
    this.value = value;
  }
}

/** Of several outputs with one key, the first counts. */
export function outputsByKey<T>(outputs: Iterable<T>, keyOf: (output: T) => string): Outputs<T> {
  let first: OneOutput<T> | undefined;
  let all: Map<string, T> | undefined;
  for (const output of outputs) {
    assert(output !== undefined, "a collection holds no undefined values");
    const key = keyOf(output);
    if (first === undefined) first = new OneOutput(key, output);
    else if (!(all ?? first).has(key)) all = (all ?? new Map([[first.key, first.value]])).set(key, output);
  }
  return all ?? first ?? new Map<string, T>();
}
