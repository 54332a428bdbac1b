import type { Answer } from "./answer.ts";

/** A response without an ACK or NACK so far. */
export interface InFlight {
  readonly nonce: string;
  readonly answer: Answer;
}

/** The response that the nonce of an ACK or NACK matches. */
export interface MatchedResponse extends InFlight {
  /** The answers that left after it and still await their own ACK or NACK. */
  readonly later: readonly Answer[];
}

/**
 * The limit of remembered overtaken responses: newer responses left because their acknowledgement was late. Each took
 * the whole time-out. An ACK or NACK of an older response is ignored.
 */
const maxOvertaken = 8;

/** Responses that await an ACK or NACK, oldest first: the newest and the overtaken ones. */
export class UnacknowledgedResponses {
  #all: readonly InFlight[] = [];
  #newestIsAcknowledged = true;

  /** The response that left last, until its ACK or NACK. */
  get newest(): InFlight | undefined {
    return this.#newestIsAcknowledged ? undefined : this.#all.at(-1);
  }

  get answers(): readonly Answer[] {
    return this.#all.map(({ answer }) => answer);
  }

  /** Adds a response that has left. `alone` if no acknowledgement is awaited, so that older responses do not matter. */
  add(response: InFlight, alone: boolean): void {
    this.#all = alone ? [response] : [...this.#all.slice(-maxOvertaken), response];
    this.#newestIsAcknowledged = false;
  }

  /** Takes out the response with this nonce after its ACK or NACK, with the answers that left after it. */
  take(nonce: string): MatchedResponse | undefined {
    const index = this.#all.findIndex((each) => each.nonce === nonce);
    const response = this.#all[index];
    if (response === undefined) return undefined;
    const later = this.#all.slice(index + 1).map(({ answer }) => answer);
    if (later.length === 0) this.#newestIsAcknowledged = true;
    this.#all = this.#all.toSpliced(index, 1);
    return { ...response, later };
  }

  /** Forgets overtaken responses: the client accepted a newer answer that repeated all of their content. */
  forgetOvertaken(): void {
    this.#all = this.newest === undefined ? [] : [this.newest];
  }
}
