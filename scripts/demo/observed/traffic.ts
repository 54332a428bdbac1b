/** How one call ended. */
export type Answer =
  | { readonly type: "answered"; readonly by: string }
  | { readonly type: "failed"; readonly reason: string };

/** What became of the calls of some time. */
export interface Tally {
  readonly calls: number;
  /** By who answered. */
  readonly answered: ReadonlyMap<string, number>;
  /** By why nobody did. */
  readonly failed: ReadonlyMap<string, number>;
}

/** Counts answers over a sliding window of so many intervals; whoever owns it says when one has passed. */
export class Traffic {
  readonly #intervals: number;
  #running: Answer[] = [];
  #passed: readonly (readonly Answer[])[] = [];

  constructor({ intervals }: { readonly intervals: number }) {
    this.#intervals = intervals;
  }

  count(answers: readonly Answer[]): void {
    this.#running.push(...answers);
  }

  endInterval(): void {
    this.#passed = [...this.#passed, this.#running].slice(-this.#intervals);
    this.#running = [];
  }

  /** Of the intervals that have passed. */
  tally(): Tally {
    const answers = this.#passed.flat();
    return {
      calls: answers.length,
      answered: countedBy(answers.map((answer) => (answer.type === "answered" ? answer.by : undefined))),
      failed: countedBy(answers.map((answer) => (answer.type === "failed" ? answer.reason : undefined))),
    };
  }
}

function countedBy(keys: readonly (string | undefined)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
