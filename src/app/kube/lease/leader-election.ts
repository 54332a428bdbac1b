import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import type { LeaseRecord, LeaseStore, StoredLease } from "./lease.ts";

/**
 * A leader that could not renew gives up after `renewWithinMs`; others wait `durationMs` after the last renewal they
 * saw. Between the two lies by how much clocks may run wrong, a fifth, before there could be two leaders at once.
 */
const times = { durationMs: 15_000, renewWithinMs: 10_000, retryMs: 2_000 };

/** What only one process does at a time. */
export interface Led {
  start(): void;
  /** Resolves when it is quiet. */
  stop(): Promise<void>;
}

export interface LeaderElectionOptions {
  readonly store: LeaseStore;
  /** Unlike that of every other candidate, those before a restart included. */
  readonly identity: string;
  readonly clock: Clock;
  /** The time of day, for those who read the Lease. */
  readonly now: () => Date;
  /** Starts when this process becomes the leader, and is stopped before another can. */
  readonly led: Led;
  readonly onError: (error: unknown) => void;
  /** Who leads now, as far as this candidate knows. */
  readonly onLeader?: (identity: string) => void;
}

/**
 * One of several processes leads, by a lease that it renews. Only durations on the own clock count: a record is old when
 * it has not changed for as long as it says, however the times in it look.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  #seen: { readonly lease: StoredLease; readonly at: number } | undefined;
  #leading = false;
  /** Whether the record may name us, also where nobody told us that a write had succeeded. */
  #wrote = false;
  #running = false;
  #round: Promise<void> = Promise.resolve();
  /** Starts and stops of what is led, one after the other. */
  #handover: Promise<void> = Promise.resolve();
  #cancelRound: Cancel = () => undefined;
  #cancelDeadline: Cancel = () => undefined;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
  }

  get leading(): boolean {
    return this.#leading;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#nextRound(0);
  }

  /** What is led stops first; then the lease is given back, so that another need not wait for its end. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelRound();
    await this.#round;
    this.#stepDown();
    await this.#handover;
    if (this.#wrote) await this.#release();
  }

  #nextRound(waitMs: number): void {
    this.#cancelRound = this.#options.clock.after(waitMs, () => {
      this.#round = this.#try().finally(() => {
        if (this.#running) this.#nextRound(times.retryMs);
      });
    });
  }

  async #try(): Promise<void> {
    const { store, clock, onError } = this.#options;
    try {
      const lease = await store.read();
      this.#observe(lease);
      if (lease !== undefined && !this.#mayTake(lease)) return this.#stepDown();
      // Others count from when they see the write, so it must be counted here from before it was sent.
      const from = clock.now();
      this.#wrote = true;
      if (await store.write(this.#renewed(lease), lease?.version)) this.#lead(from);
    } catch (thrown) {
      onError(thrown);
    }
  }

  #observe(lease: StoredLease | undefined): void {
    if (lease === undefined || lease.version === this.#seen?.lease.version) return;
    if (lease.holder !== this.#seen?.lease.holder) this.#options.onLeader?.(lease.holder);
    this.#seen = { lease, at: this.#options.clock.now() };
  }

  #mayTake({ holder, durationMs }: StoredLease): boolean {
    if (holder === "" || holder === this.#options.identity) return true;
    return this.#options.clock.now() >= (this.#seen?.at ?? 0) + durationMs;
  }

  #renewed(lease: StoredLease | undefined): LeaseRecord {
    const { identity, now } = this.#options;
    const renewedAt = now().toISOString();
    const { durationMs } = times;
    if (lease?.holder === identity) return { ...lease, durationMs, renewedAt };
    const transitions = lease === undefined ? 0 : lease.transitions + 1;
    return { holder: identity, durationMs, acquiredAt: renewedAt, renewedAt, transitions };
  }

  #lead(from: number): void {
    const { clock, led } = this.#options;
    const leftMs = from + times.renewWithinMs - clock.now();
    // The answer was so late that another may lead by now.
    if (leftMs <= 0 || !this.#running) return;
    this.#cancelDeadline();
    this.#cancelDeadline = clock.after(leftMs, () => this.#stepDown());
    if (this.#leading) return;
    this.#leading = true;
    this.#hand(() => {
      if (this.#leading) led.start();
    });
  }

  #stepDown(): void {
    this.#cancelDeadline();
    if (!this.#leading) return;
    this.#leading = false;
    this.#hand(() => this.#options.led.stop());
  }

  #hand(over: () => void | Promise<void>): void {
    this.#handover = this.#handover.then(over).catch(this.#options.onError);
  }

  async #release(): Promise<void> {
    const { store, identity, onError } = this.#options;
    this.#wrote = false;
    try {
      const lease = await store.read();
      if (lease?.holder === identity) await store.write({ ...lease, holder: "" }, lease.version);
    } catch (thrown) {
      onError(thrown);
    }
  }
}
