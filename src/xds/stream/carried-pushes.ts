import { noPushes, plus, type PushRange, type PushSet } from "./push-set.ts";

/** Unacknowledged responses that a subscription remembers, and the newest one. */
const maxSent = 9;

/** A response without an answer so far, and the pushes that it carries. */
interface Carrier {
  readonly nonce: string;
  readonly pushes: PushSet;
  /** The response leaves out changed resources, because the client rejected them before. */
  readonly isPartial: boolean;
}

/** How a response leaves. */
interface Leaving {
  readonly awaitsAnswer: boolean;
  readonly holdsBack: boolean;
  readonly isPartial?: boolean;
}

/** The pushes of one type on one stream that the client has not answered: not sent so far, or in a response. */
export class CarriedPushes {
  #waiting: PushSet = noPushes;
  #sent: readonly Carrier[] = [];
  #incomplete: PushSet = noPushes;
  readonly #opening = new FirstContent();

  /**
   * The client has not accepted a whole state on this stream. It may hold anything from an earlier stream, also resources
   * whose removal is held back. No push counts for this.
   */
  get isOpening(): boolean {
    return this.#opening.isOpen;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#sent.length === 0;
  }

  /** All of them. */
  get unanswered(): PushSet {
    return this.#sent.reduce((all, { pushes }) => plus(all, pushes), this.#waiting);
  }

  /** Pushes that have not left, or not with all of their removals. */
  get waiting(): PushSet {
    return this.#waiting;
  }

  /** Pushes that the client answered, but without accepting all of them. Means nothing without a rejected resource. */
  get incomplete(): PushSet {
    return this.#incomplete;
  }

  /** A push may have something for the client. */
  await(pushes: PushRange): void {
    this.#waiting = plus(this.#waiting, [pushes]);
  }

  /** Nothing of the waiting pushes is left to send. */
  stopWaiting(): void {
    this.#waiting = noPushes;
    this.#opening.wholeIsSent();
  }

  /**
   * A response leaves. It has the newest state, so it carries all waiting pushes. They wait on if it holds removals back.
   * Returns the carried pushes.
   */
  send(nonce: string, { awaitsAnswer, holdsBack, isPartial = false }: Leaving): PushSet {
    const pushes = this.#waiting;
    this.#opening.sent(nonce, awaitsAnswer);
    if (!holdsBack) this.stopWaiting();
    if (pushes.length > 0 && awaitsAnswer) this.#sent = bounded([...this.#sent, { nonce, pushes, isPartial }]);
    return pushes;
  }

  /** The client answered a response, and with it all earlier ones. Returns the pushes of this response. */
  take(nonce: string, answer: "ack" | "nack" = "ack"): PushSet {
    this.#opening.answered(nonce, answer);
    const index = this.#sent.findIndex((response) => response.nonce === nonce);
    if (index === -1) return noPushes;
    const { pushes = noPushes } = this.#sent[index] ?? {};
    const open = this.#sent.slice(0, index + 1).filter(({ isPartial }) => answer === "nack" || isPartial);
    for (const response of open) this.#incomplete = plus(this.#incomplete, response.pushes);
    this.#sent = this.#sent.slice(index + 1);
    return pushes;
  }

  /** The client has accepted everything that it rejected before. */
  complete(): void {
    this.#incomplete = noPushes;
  }
}

/** Follows the responses of a stream until the client has accepted a whole state. */
class FirstContent {
  #newest = 0;
  #accepted = 0;
  /** The first response after which nothing was left to send. */
  #whole: number | undefined;

  get isOpen(): boolean {
    return this.#whole === undefined || this.#accepted < this.#whole;
  }

  sent(nonce: string, awaitsAnswer: boolean): void {
    this.#newest = Number(nonce);
    if (!awaitsAnswer) this.#accepted = this.#newest;
  }

  wholeIsSent(): void {
    if (this.#newest > 0) this.#whole ??= this.#newest;
  }

  /** A rejected response does not count, so the next one has to be accepted. */
  answered(nonce: string, answer: "ack" | "nack"): void {
    const number = Number(nonce);
    if (!(number > 0 && number <= this.#newest)) return;
    if (answer === "ack") this.#accepted = Math.max(this.#accepted, number);
    else if (this.isOpen && this.#whole !== undefined) this.#whole = Math.max(this.#whole, number + 1);
  }
}

/** A forgotten response stays unanswered: the next one counts for both. */
function bounded(sent: readonly Carrier[]): readonly Carrier[] {
  const [oldest, next, ...rest] = sent;
  if (sent.length <= maxSent || oldest === undefined || next === undefined) return sent;
  return [{ ...next, pushes: plus(oldest.pushes, next.pushes) }, ...rest];
}
