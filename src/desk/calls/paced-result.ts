import { sameElements } from "../../lib/same-elements.ts";

/** A computed value, and whether its inputs have changed since. */
export interface Paced<T> {
  readonly value: T;
  readonly pending: boolean;
}

export interface PacedResultOptions<T> {
  /** The inputs of the computation. While they are the same objects, the value is kept. */
  readonly subject: () => readonly unknown[];
  readonly compute: () => Promise<T>;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Time between two computations, in durations of the last one: it takes 3 % of a core at most. */
const pause = 32;
const shortestPauseMs = 250;

/**
 * A value that takes long to compute, shared by all who ask. However often they ask and the inputs change, the
 * computation takes a small share of the time. Between two computations the last value counts.
 */
export class PacedResult<T> {
  readonly #options: PacedResultOptions<T>;
  #last: { readonly value: T; readonly subject: readonly unknown[]; readonly nextAt: number } | undefined;
  #running: Promise<T> | undefined;

  constructor(options: PacedResultOptions<T>) {
    this.#options = options;
  }

  async get(): Promise<Paced<T>> {
    const { subject, now } = this.#options;
    const last = this.#last;
    const isCurrent = last !== undefined && sameElements(last.subject, subject());
    if (last !== undefined && (isCurrent || now() < last.nextAt)) return { value: last.value, pending: !isCurrent };
    this.#running ??= this.#compute().finally(() => {
      this.#running = undefined;
    });
    return { value: await this.#running, pending: false };
  }

  async #compute(): Promise<T> {
    const { subject, compute, now } = this.#options;
    const begun = now();
    const inputs = subject();
    const value = await compute();
    const ended = now();
    this.#last = { value, subject: inputs, nextAt: ended + Math.max(shortestPauseMs, pause * (ended - begun)) };
    return value;
  }
}
