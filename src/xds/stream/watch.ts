import type { Cancel } from "../../lib/time/clock.ts";
import type { Lease } from "../resource-source.ts";
import type { Target } from "../resources/target.ts";
import type { Subscription } from "../subscription/subscription.ts";
import type { Dialect } from "../wire/dialect.ts";

/** One type on one stream, for those who look on. */
export interface Watched {
  readonly subscription: Subscription;
  /** What the client should have; undefined when it cannot be made. */
  readonly target: Target | undefined;
}

/** One type on one stream: what the client said and was sent of it, what it should have, and what is waited for. */
export class Watch implements Watched {
  readonly subscription: Subscription;
  readonly dialect: Dialect;
  /** Why the next response goes out; empty when only the client's own request does. */
  readonly causes = new Set<string>();
  /** A change has been waiting for an acknowledgement. */
  delayed = false;
  #lease: Lease;
  #cancelTimeout: Cancel = () => undefined;

  constructor(subscription: Subscription, dialect: Dialect, lease: Lease) {
    this.subscription = subscription;
    this.dialect = dialect;
    this.#lease = lease;
  }

  get target(): Target | undefined {
    return this.#lease.target;
  }

  /** Names the class of clients that get the very same of this type. */
  get classId(): string {
    return this.#lease.id;
  }

  /** A type that could not be made is not answered, and nothing is due of it. */
  get mayBeDue(): boolean {
    return this.target !== undefined && this.subscription.mayBeDue(this.target);
  }

  /**
   * The client has accepted everything of this type that there is. Not so while the type cannot be made: the client keeps
   * what it has, and that may refer to anything.
   */
  get settled(): boolean {
    return this.target !== undefined && this.subscription.settled(this.target);
  }

  renew(lease: Lease): void {
    this.#lease.end();
    this.#lease = lease;
  }

  /** From now on an acknowledgement is waited for, until the timer that `cancel` stops. */
  startWaiting(cancel: Cancel): void {
    this.#cancelTimeout = cancel;
  }

  /** Nothing is waited for any more. */
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
