import type { LeaseRecord, LeaseStore, StoredLease } from "../../app/kube/lease/lease.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";

/** How one call fares: how long it takes there and back, and whether it gets lost on the way. */
export interface Passage {
  readonly thereMs: number;
  readonly backMs: number;
  readonly lost?: "there" | "back";
}

const smooth: Passage = { thereMs: 0, backMs: 0 };

/** One record that several candidates reach, each over a line of its own. */
export class LeaseWorld {
  readonly #clock: Clock;
  #version = 0;
  record: StoredLease | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls fare as `passages` say, in turn and from the start again; without any they take no time. */
  line(passages: readonly Passage[] = []): LeaseStore {
    let calls = 0;
    const call = <T>(work: () => T): Promise<T> => {
      const passage = passages[calls % passages.length] ?? smooth;
      calls += 1;
      return this.#pass(passage, work);
    };
    return {
      read: () => call(() => this.record),
      write: (record, replaced) => call(() => this.#write(record, replaced)),
    };
  }

  async #pass<T>({ thereMs, backMs, lost }: Passage, work: () => T): Promise<T> {
    await this.#pause(thereMs);
    if (lost === "there") throw new Error("the call got lost");
    const result = work();
    await this.#pause(backMs);
    if (lost === "back") throw new Error("the answer got lost");
    return result;
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((resolve) => this.#clock.after(ms, resolve));
  }

  #write(record: LeaseRecord, replaced: string | undefined): boolean {
    if (this.record?.version !== replaced) return false;
    this.#version += 1;
    this.record = { ...record, version: String(this.#version) };
    return true;
  }
}

/** A clock that runs too fast or too slow, until it stands still with its process. */
export class SkewedClock implements SupervisedClock {
  readonly part = "test";
  readonly #clock: Clock;
  readonly #rate: number;
  #dead = false;

  constructor(clock: Clock, rate: number) {
    this.#clock = clock;
    this.#rate = rate;
  }

  now(): number {
    return this.#clock.now() * this.#rate;
  }

  after(ms: number, run: () => void): Cancel {
    return this.#clock.after(ms / this.#rate, () => {
      if (!this.#dead) run();
    });
  }

  kill(): void {
    this.#dead = true;
  }
}
