import type { Answer } from "./answer.ts";

/** A response the client has not yet spoken on. */
export interface InFlight {
  readonly nonce: string;
  readonly answer: Answer;
}

/** A response that the client has spoken on. */
export interface Judged extends InFlight {
  /** The answers that left after it and wait for their own word. */
  readonly later: readonly Answer[];
}

/**
 * How many responses are remembered that were overtaken by newer ones, because their acknowledgement did not come in
 * time. Each took the whole time-out. The word on an older one is no longer understood.
 */
const maxOvertaken = 8;

/** Responses that wait for the client's word, oldest first: the newest, and those it overtook. */
export class Unjudged {
  #all: readonly InFlight[] = [];
  #newestIsJudged = true;

  /** The response that left last, unless the client has spoken on it. */
  get newest(): InFlight | undefined {
    return this.#newestIsJudged ? undefined : this.#all.at(-1);
  }

  get answers(): readonly Answer[] {
    return this.#all.map(({ answer }) => answer);
  }

  /** A response has left. `alone` where nobody waits for a word, so that older ones do not matter. */
  add(response: InFlight, alone: boolean): void {
    this.#all = alone ? [response] : [...this.#all.slice(-maxOvertaken), response];
    this.#newestIsJudged = false;
  }

  /** The response with this nonce, which the client has spoken on now, and the answers that left after it. */
  take(nonce: string): Judged | undefined {
    const index = this.#all.findIndex((each) => each.nonce === nonce);
    const response = this.#all[index];
    if (response === undefined) return undefined;
    const later = this.#all.slice(index + 1).map(({ answer }) => answer);
    if (later.length === 0) this.#newestIsJudged = true;
    this.#all = this.#all.toSpliced(index, 1);
    return { ...response, later };
  }

  /** Forgets what was overtaken: a newer answer said all of it again, and the client has accepted that. */
  forgetOvertaken(): void {
    this.#all = this.newest === undefined ? [] : [this.newest];
  }
}
