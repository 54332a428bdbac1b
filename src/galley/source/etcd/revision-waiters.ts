import type { Cancel, Clock } from "../../../lib/time/clock.ts";

export interface RevisionWaitersOptions {
  readonly clock: Clock;
  /** Requests the current progress. The answer may be lost. */
  readonly ask: () => void;
}

/** How long to wait for an answer before the next request. */
const askAgainMs = 50;

/** Waiters for revisions: each waits until its revision has been reported. */
export class RevisionWaiters {
  readonly #options: RevisionWaitersOptions;
  readonly #waiting = new Map<(reached: boolean) => void, number>();
  #revision = 0;
  #cancel: Cancel | undefined;

  constructor(options: RevisionWaitersOptions) {
    this.#options = options;
  }

  /** Resolves to true when everything up to this revision has been reported, to false when following ends first. */
  reach(revision: number): Promise<boolean> {
    if (this.#revision >= revision) return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.set(resolve, revision);
    this.#ask();
    return promise;
  }

  /** The revision may decrease, when everything was read again from a restored store. */
  passed(revision: number): void {
    this.#revision = revision;
    for (const [settle, goal] of this.#waiting) if (goal <= revision) this.#settle(settle, true);
  }

  giveUp(): void {
    for (const settle of this.#waiting.keys()) this.#settle(settle, false);
  }

  #settle(settle: (reached: boolean) => void, reached: boolean): void {
    this.#waiting.delete(settle);
    settle(reached);
    if (this.#waiting.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #ask(): void {
    if (this.#cancel !== undefined) return;
    this.#options.ask();
    this.#cancel = this.#options.clock.after(askAgainMs, () => {
      this.#cancel = undefined;
      this.#ask();
    });
  }
}
