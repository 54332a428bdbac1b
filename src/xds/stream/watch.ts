import type { Cancel } from "../../lib/time/clock.ts";
import type { Lease } from "../resource-source.ts";
import type { Target } from "../resources/target.ts";
import type { Subscription } from "../subscription/subscription.ts";
import { type Verdict, verdictOn } from "../subscription/verdict.ts";
import type { Dialect } from "../wire/dialect.ts";
import { CarriedPushes } from "./carried-pushes.ts";
import type { PushRange } from "./push-set.ts";

/** One type on one stream, as a read-only view for debug pages and metrics. */
export interface Watched {
  readonly subscription: Subscription;
  /** The resources that the client should have. Undefined if they cannot be built. */
  readonly target: Target | undefined;
}

/** The same, with the pushes that the client has not answered, or not accepted. */
export interface WatchProgress extends Watched {
  readonly pushes: Pick<CarriedPushes, "waiting" | "unanswered" | "incomplete" | "isOpening">;
}

/** One type on one stream: its subscription, its target, and the acknowledgement it waits for. */
export class Watch implements WatchProgress {
  readonly subscription: Subscription;
  readonly dialect: Dialect;
  /** The reasons of the next response. Empty if only a request of the client causes it. */
  readonly causes = new Set<string>();
  /** The pushes that the client has not answered. */
  readonly pushes = new CarriedPushes();
  /** A change waits for an acknowledgement. */
  delayed = false;
  /** How long building the resources for the next response has taken so far, in milliseconds. */
  madeMs = 0;
  #lease: Lease;
  /** The target when the lease was taken. The target of a lease changes with every publication. */
  #leasedTarget: Target | undefined;
  #cancelTimeout: Cancel = () => undefined;

  constructor(subscription: Subscription, dialect: Dialect, lease: Lease) {
    this.subscription = subscription;
    this.dialect = dialect;
    this.#lease = lease;
    this.#leasedTarget = lease.target;
    subscription.isTrial = lease.isTrial === true;
  }

  get lease(): Lease {
    return this.#lease;
  }

  get target(): Target | undefined {
    return this.#lease.target;
  }

  /** False if the type cannot be built: then the server sends no answer and nothing is due. */
  get mayBeDue(): boolean {
    const { target } = this;
    return target !== undefined && this.subscription.mayBeDue(target);
  }

  /** A response is due, held-back removals included. */
  get isDue(): boolean {
    const { target, subscription } = this;
    return target !== undefined && subscription.due(target, { mayRemove: () => true }) !== undefined;
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

  /** The source published newer resources. */
  publish(lease: Lease, reasons: Iterable<string>, pushes: PushRange | undefined): void {
    for (const reason of reasons) this.causes.add(reason);
    if (pushes !== undefined && this.#isNew(lease.target)) this.pushes.await(pushes);
    this.renew(lease);
    this.madeMs += lease.madeMs ?? 0;
  }

  /** The lease from before ends, unless it is the same. */
  renew(lease: Lease): void {
    if (lease !== this.#lease) this.#lease.end();
    this.#lease = lease;
    this.#leasedTarget = lease.target;
    this.subscription.isTrial = lease.isTrial === true;
  }

  /** Whether a push has nothing for this type: the lease and its target are those from before. */
  has(lease: Lease): boolean {
    return lease === this.#lease && lease.isTrial !== true && lease.target === this.#leasedTarget;
  }

  /** Equal content is the same object, so an unchanged target means that a push has nothing for this type. */
  #isNew(target: Target | undefined): boolean {
    const before = this.#leasedTarget;
    if (before !== undefined && before === target) return false;
    if (before === undefined || before.length !== target?.length) return true;
    return before.some((set, index) => set !== target[index]);
  }

  /** Nothing is left to send, except removals that are held back. */
  done({ holdsBack = false } = {}): void {
    if (!holdsBack) this.pushes.stopWaiting();
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
