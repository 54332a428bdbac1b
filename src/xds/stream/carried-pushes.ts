import { noPushes, type PushRange, type PushSet, unionOf } from "./push-set.ts";

/** Unacknowledged responses that a subscription remembers, and the newest one. */
const maxSent = 9;

/** The pushes of one type on one stream that the client has not answered: not sent so far, or in a response. */
export class CarriedPushes {
  #waiting: PushSet = noPushes;
  #sent: readonly { readonly nonce: string; readonly pushes: PushSet }[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#sent.length === 0;
  }

  /** All of them, unsorted. */
  get unanswered(): readonly PushRange[] {
    return [...this.#sent.flatMap(({ pushes }) => pushes), ...this.#waiting];
  }

  /** A push may have something for the client. */
  await(pushes: PushRange): void {
    this.#waiting = unionOf([...this.#waiting, pushes]);
  }

  /** Nothing of the waiting pushes is left to send. */
  stopWaiting(): void {
    this.#waiting = noPushes;
  }

  /**
   * A response leaves. It has the newest state, so it carries all waiting pushes. They wait on if it holds removals back.
   * Returns the carried pushes.
   */
  send(nonce: string, { awaitsAnswer, holdsBack }: Record<"awaitsAnswer" | "holdsBack", boolean>): PushSet {
    const pushes = this.#waiting;
    if (!holdsBack) this.#waiting = noPushes;
    if (pushes.length > 0 && awaitsAnswer) this.#sent = [...this.#sent.slice(1 - maxSent), { nonce, pushes }];
    return pushes;
  }

  /** The client answered a response, and with it all earlier ones. Returns the pushes of this response. */
  take(nonce: string): PushSet {
    const index = this.#sent.findIndex((response) => response.nonce === nonce);
    if (index === -1) return noPushes;
    const { pushes = noPushes } = this.#sent[index] ?? {};
    this.#sent = this.#sent.slice(index + 1);
    return pushes;
  }
}
