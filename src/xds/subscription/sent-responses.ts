import type { ResourceType } from "../resource-type.ts";
import type { Target } from "../resources/target.ts";
import type { Answer } from "./answer.ts";
import { type InFlight, type MatchedResponse, UnacknowledgedResponses } from "./unacknowledged-responses.ts";

/** A response that has left. */
interface ResponseRecord {
  readonly nonce: string;
  readonly target: Target;
}

/** The responses of one type on one stream: the last one, the last accepted one, and those that await an answer. */
export class SentResponses {
  readonly #type: ResourceType;
  readonly #unacknowledged = new UnacknowledgedResponses();
  #lastSent: (ResponseRecord & { readonly at: number }) | undefined;
  #lastAcked: ResponseRecord | undefined;
  #ackOverdue = false;

  constructor(type: ResourceType) {
    this.#type = type;
  }

  /** The last response. Undefined before the first one. */
  get last(): (ResponseRecord & { readonly at: number }) | undefined {
    return this.#lastSent;
  }

  /** The response of the last ACK. */
  get lastAcked(): ResponseRecord | undefined {
    return this.#lastAcked;
  }

  /** The newest response, until its ACK or NACK. */
  get inFlight(): InFlight | undefined {
    return this.#unacknowledged.newest;
  }

  /** Those that await an ACK or NACK. */
  get unacknowledged(): readonly Answer[] {
    return this.#unacknowledged.answers;
  }

  /** True while the ACK or NACK of the newest response is awaited. */
  get awaitsAck(): boolean {
    return this.inFlight !== undefined && !this.#ackOverdue && this.#type.neverAcknowledged !== true;
  }

  /**
   * The acknowledgement is overdue. Stops waiting for it, but still accepts it, because Envoy withholds it while
   * clusters warm (xDS protocol: Resource warming).
   */
  stopAwaitingAck(): void {
    this.#ackOverdue = true;
  }

  /** The answer has left under this nonce, at this time of the clock. */
  record(nonce: string, answer: Answer, at: number): void {
    this.#unacknowledged.add({ nonce, answer }, this.#type.neverAcknowledged === true);
    this.#ackOverdue = false;
    this.#lastSent = { nonce, target: answer.target, at };
  }

  /** The response with this nonce, which the client answers now. Undefined for a stale nonce. */
  take(nonce: string): MatchedResponse | undefined {
    return this.#unacknowledged.take(nonce);
  }

  /** The client accepted this response. A late ACK of an overtaken one does not undo the ACK of the newest one. */
  accepted({ nonce, answer }: InFlight): void {
    if (this.#lastAcked?.nonce !== this.#lastSent?.nonce) this.#lastAcked = { nonce, target: answer.target };
  }

  /** An accepted answer listed everything: answers before it matter no more. */
  forgetOvertaken(): void {
    this.#unacknowledged.forgetOvertaken();
  }
}
