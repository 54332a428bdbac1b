import type { CarriedPushes } from "./carried-pushes.ts";
import { commonOf, noPushes, plus, type PushSet, without } from "./push-set.ts";

/** How a push ended for a client. `unneeded`: it had nothing for the client, after all. */
export type PushEnd = "acknowledged" | "rejected" | "disconnected" | "unneeded";

/** Receives the progress of one client. */
export interface PushProgressListener {
  /** The client is owed these pushes from now on. */
  owed(pushes: PushSet): void;
  /** The client is no longer owed these pushes. Every owed push ends once. */
  ended(pushes: PushSet, how: PushEnd): void;
}

/**
 * The pushes that one client is owed: some type waits to be sent, or a response is not answered. A push ends for a client
 * when all types of the client have answered it. Costs nothing while no push is under way.
 */
export class PushProgress {
  readonly #listener: PushProgressListener;
  #owed: PushSet = noPushes;
  /** Of the owed ones: those in a response. */
  #sent: PushSet = noPushes;
  #rejected: PushSet = noPushes;

  constructor(listener: PushProgressListener) {
    this.#listener = listener;
  }

  get owed(): PushSet {
    return this.#owed;
  }

  /** A response leaves. Called before its answer can arrive. */
  sent(pushes: PushSet): void {
    this.#sent = plus(this.#sent, pushes);
    this.#owe(pushes);
  }

  /** The client rejected a response. */
  rejected(pushes: PushSet): void {
    this.#rejected = plus(this.#rejected, pushes);
  }

  /** Compares with the types of the client, after something was sent or answered. */
  update(types: Iterable<{ readonly pushes: CarriedPushes }>): void {
    let now = noPushes;
    for (const { pushes } of types) if (!pushes.isEmpty) now = plus(now, pushes.unanswered);
    if (now.length === 0 && this.#owed.length === 0) return;
    this.#owe(now);
    this.#end(without(this.#owed, now), "acknowledged");
  }

  /** The stream has ended. */
  close(): void {
    this.#end(this.#owed, "disconnected");
  }

  #owe(pushes: PushSet): void {
    const added = without(pushes, this.#owed);
    if (added.length === 0) return;
    this.#owed = plus(this.#owed, added);
    this.#listener.owed(added);
  }

  #end(pushes: PushSet, how: "acknowledged" | "disconnected"): void {
    if (pushes.length === 0) return;
    const [sent, rejected] = [commonOf(pushes, this.#sent), commonOf(pushes, this.#rejected)];
    this.#owed = without(this.#owed, pushes);
    this.#sent = without(this.#sent, pushes);
    this.#rejected = without(this.#rejected, pushes);
    this.#tell(rejected, "rejected");
    if (how === "disconnected") return this.#tell(without(pushes, rejected), how);
    this.#tell(without(sent, rejected), how);
    this.#tell(without(without(pushes, sent), rejected), "unneeded");
  }

  #tell(pushes: PushSet, how: PushEnd): void {
    if (pushes.length > 0) this.#listener.ended(pushes, how);
  }
}
