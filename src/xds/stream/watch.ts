import type { Cancel } from "../../lib/time/clock.ts";
import type { Lease } from "../resource-source.ts";
import type { Target } from "../resources/target.ts";
import type { Subscription } from "../subscription/subscription.ts";
import { type Verdict, verdictOn } from "../subscription/verdict.ts";
import type { Dialect } from "../wire/dialect.ts";

/** One type on one stream, as a read-only view for debug pages and metrics. */
export interface Watched {
  readonly subscription: Subscription;
  /** The resources that the client should have. Undefined if they cannot be built. */
  readonly target: Target | undefined;
}

/** One type on one stream: its subscription, its target, and the acknowledgement it waits for. */
export class Watch implements Watched {
  readonly subscription: Subscription;
  readonly dialect: Dialect;
  /** The reasons of the next response. Empty if only a request of the client causes it. */
  readonly causes = new Set<string>();
  /** A change waits for an acknowledgement. */
  delayed = false;
  /** How long building the resources for the next response has taken so far, in milliseconds. */
  madeMs = 0;
  #lease: Lease;
  #cancelTimeout: Cancel = () => undefined;

  constructor(subscription: Subscription, dialect: Dialect, lease: Lease) {
    this.subscription = subscription;
    this.dialect = dialect;
    this.#lease = lease;
    subscription.isTrial = lease.isTrial === true;
  }

  get target(): Target | undefined {
    return this.#lease.target;
  }

  /** Names the class of clients that get identical resources of this type. */
  get classId(): string {
    return this.#lease.id;
  }

  /** False if the type cannot be built: then the server sends no answer and nothing is due. */
  get mayBeDue(): boolean {
    return this.target !== undefined && this.subscription.mayBeDue(this.target);
  }

  /**
   * The client has accepted every current resource of this type. False while the type cannot be built: the client keeps
   * its old resources, and those may refer to anything.
   */
  get settled(): boolean {
    return this.target !== undefined && this.subscription.settled(this.target);
  }

  /** The client's verdict about its current resources of this type. Pending while the type cannot be built. */
  get verdict(): Verdict {
    return this.target === undefined ? { type: "pending" } : verdictOn(this.target, this.subscription);
  }

  renew(lease: Lease): void {
    this.#lease.end();
    this.#lease = lease;
    this.subscription.isTrial = lease.isTrial === true;
  }

  /** Nothing is left to send. */
  done(): void {
    this.causes.clear();
    this.madeMs = 0;
  }

  /** Starts waiting for an acknowledgement. `cancel` stops the timer of that wait. */
  startWaiting(cancel: Cancel): void {
    this.#cancelTimeout = cancel;
  }

  /** Stops waiting for the acknowledgement. */
  stopWaiting(): void {
    this.#cancelTimeout();
    this.delayed = false;
  }

  end(): void {
    this.#cancelTimeout();
    this.#lease.end();
  }
}

/** The watches of a stream by type URL. */
export type Watches = ReadonlyMap<string, Watch>;
