import type { Cancel, Clock } from "../../../lib/time/clock.ts";

export interface MilestonesOptions {
  readonly clock: Clock;
  /** Asks how far things have come. The answer may fail to come. */
  readonly ask: () => void;
}

/** How long an answer may be missing before the question is put again. */
const askAgainMs = 50;

/** Who waits until which revision has been said. */
export class Milestones {
  readonly #options: MilestonesOptions;
  readonly #waiting = new Map<(reached: boolean) => void, number>();
  #revision = 0;
  #cancel: Cancel | undefined;

  constructor(options: MilestonesOptions) {
    this.#options = options;
  }

  /** True when everything up to this revision has been said, false when that is given up. */
  reach(revision: number): Promise<boolean> {
    if (this.#revision >= revision) return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.set(resolve, revision);
    this.#ask();
    return promise;
  }

  /** Also backwards, when everything was read anew from a store that has gone back. */
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
