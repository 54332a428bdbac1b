import type { SupervisedClock } from "../../../lib/supervisor.ts";
import type { Cancel } from "../../../lib/time/clock.ts";
import type { LeaseRecord, LeaseStore, StoredLease } from "./lease.ts";

/**
 * A leader that cannot renew gives up after `renewWithinMs`. Others wait `durationMs` after the last renewal that they
 * saw. The difference tolerates clocks that run wrong by a fifth, before two processes could lead at once.
 */
const times = { durationMs: 15_000, renewWithinMs: 10_000, retryMs: 2_000 };

/** Work that only one process does at a time. */
export interface Led {
  start(): void;
  /** Resolves when it is quiet. */
  stop(): Promise<void>;
}

export interface LeaderElectionOptions {
  readonly store: LeaseStore;
  /** Unique among all candidates, including those before a restart. */
  readonly identity: string;
  readonly clock: SupervisedClock;
  /** The time of day, for people who read the Lease. */
  readonly now: () => Date;
  /** Starts when this process becomes the leader, and is stopped before another can. */
  readonly led: Led;
  /** The lease could not be read or written: the next round tries again. */
  readonly onError: (error: unknown) => void;
  /** The led work threw at its start or stop. */
  readonly onLedFailure: (error: unknown) => void;
  /** Called with the current leader, as this candidate sees it. */
  readonly onLeader?: (identity: string) => void;
}

/**
 * Elects one of several processes as leader, by a lease that the leader renews. Only durations on the local clock
 * count. A record is expired when it has not changed for its own duration, whatever times it contains.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  #seen: { readonly lease: StoredLease; readonly at: number } | undefined;
  #leading = false;
  /** Whether the record may name us, even if we never saw a write succeed. */
  #wrote = false;
  #running = false;
  #round: Promise<void> = Promise.resolve();
  /** Starts and stops of the led work, one after the other. */
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

  /** Stops the led work first, then releases the lease, so that the next leader need not wait for its expiry. */
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
      // Other candidates count from when they see the write, so count here from before it was sent.
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
    // The answer was so late that another process may lead by now.
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
    this.#handover = this.#handover.then(over).catch(this.#options.onLedFailure);
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
