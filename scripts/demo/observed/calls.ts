/** How one call ended. */
export type CallResult =
  | { readonly type: "answered"; readonly by: string }
  | { readonly type: "failed"; readonly reason: string };

/** The results of the calls in some time. */
export interface CallTally {
  readonly calls: number;
  /** By the workload that answered. */
  readonly answered: ReadonlyMap<string, number>;
  /** By the error. */
  readonly failed: ReadonlyMap<string, number>;
}

/** Counts answers over a sliding window of intervals. The owner ends each interval. */
export class Traffic {
  readonly #intervals: number;
  #running: CallResult[] = [];
  #passed: readonly (readonly CallResult[])[] = [];

  constructor({ intervals }: { readonly intervals: number }) {
    this.#intervals = intervals;
  }

  count(answers: readonly CallResult[]): void {
    this.#running.push(...answers);
  }

  endInterval(): void {
    this.#passed = [...this.#passed, this.#running].slice(-this.#intervals);
    this.#running = [];
  }

  /** The tally of the past intervals. */
  tally(): CallTally {
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
