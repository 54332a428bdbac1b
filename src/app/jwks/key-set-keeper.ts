import { type Limits, overLimit } from "../../lib/bounded/limit.ts";
import { MeshError } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { KeySetPlace } from "../../pilot/model/policy/key-set.ts";
import type { CheckedKeySet } from "./check-key-set.ts";
import type { jwksLimits } from "./jwks-limits.ts";

/** A key set that at least one policy needs. */
export interface KeySetRequest {
  readonly place: KeySetPlace;
  readonly timeoutMs: number;
}

export interface KeeperOptions {
  readonly clock: SupervisedClock;
  readonly random: () => number;
  readonly refreshMs: number;
  readonly limits: Pick<Limits<typeof jwksLimits>, "concurrent" | "keySets" | "firstWaitMs">;
  readonly fetch: (request: KeySetRequest) => Promise<CheckedKeySet>;
  /** A key set came. It may be the same as before. */
  readonly arrived: (after: KeySetState, before: KeySetState) => void;
  /** A fetch failed. The last good key set, if there is one, stays in use. */
  readonly failed: (after: KeySetState, before: KeySetState) => void;
  /** No policy needs the key set any more. */
  readonly dropped: (key: string) => void;
}

/** One needed key set. */
export interface KeySetState {
  readonly key: string;
  readonly request: KeySetRequest;
  /** The last good one. */
  readonly keySet: CheckedKeySet | undefined;
  readonly fetchedAt: number | undefined;
  /** The reason why the last attempt failed. */
  readonly error: MeshError | undefined;
  /** Since the last success. */
  readonly failures: number;
}

interface Kept {
  state: KeySetState;
  attempted: boolean;
  /** Whether it is within the limit of key sets. */
  admitted: boolean;
  readonly backoff: Backoff;
  cancel: Cancel;
}

/** A refresh comes up to a tenth earlier or later than the interval, so that issuers are not asked all at once. */
const jitterShare = 0.1;

/**
 * Fetches each needed key set, and again at intervals; after a failure sooner, with growing pauses. A few fetches run at
 * the same time, the others wait in line.
 */
export class KeySetKeeper {
  readonly #options: KeeperOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #line: string[] = [];
  readonly #waiting = new Set<() => void>();
  #running = 0;
  /** The number of key sets within the limit. */
  #admitted = 0;
  #stopped = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** The key sets that are needed now: starts fetching new ones, and drops the others. */
  want(requests: ReadonlyMap<string, KeySetRequest>): void {
    if (this.#stopped) return;
    for (const [key, kept] of this.#kept) {
      if (requests.has(key)) continue;
      kept.cancel();
      this.#kept.delete(key);
      if (kept.admitted) this.#admitted -= 1;
      this.#options.dropped(key);
    }
    for (const [key, request] of requests) {
      const kept = this.#kept.get(key);
      if (kept === undefined) this.#add(key, request);
      else kept.state = { ...kept.state, request };
    }
    this.#notify();
  }

  states(): readonly KeySetState[] {
    return Array.from(this.#kept.values(), ({ state }) => state);
  }

  /** Resolves when every needed key set was tried once, or after the longest wait. */
  async attempted(): Promise<void> {
    if (this.#allTried()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const { clock, limits } = this.#options;
    this.#waiting.add(resolve);
    const cancel = clock.after(limits.firstWaitMs, resolve);
    await promise;
    cancel();
    this.#waiting.delete(resolve);
  }

  stop(): void {
    this.#stopped = true;
    for (const kept of this.#kept.values()) kept.cancel();
    for (const resolve of this.#waiting) resolve();
  }

  #add(key: string, request: KeySetRequest): void {
    const { random, refreshMs } = this.#options;
    const backoff = new Backoff({
      firstMs: 1_000,
      lastMs: Math.min(60_000, refreshMs),
      jitter: { share: 0.2, random },
    });
    const state = { key, request, keySet: undefined, fetchedAt: undefined, error: undefined, failures: 0 };
    const kept: Kept = { state, attempted: false, admitted: false, backoff, cancel: () => undefined };
    this.#kept.set(key, kept);
    this.#enqueue(key, kept);
  }

  #enqueue(key: string, kept: Kept): void {
    if (!kept.admitted && this.#admitted >= this.#options.limits.keySets) {
      kept.attempted = true;
      this.#fail(key, kept, overLimit("the mesh", this.#options.limits.keySets, "fetched key sets", this.#kept.size));
      return;
    }
    if (!kept.admitted) this.#admitted += 1;
    kept.admitted = true;
    this.#line.push(key);
    this.#next();
  }

  #next(): void {
    while (this.#running < this.#options.limits.concurrent && !this.#stopped) {
      const key = this.#line.shift();
      if (key === undefined) return;
      const kept = this.#kept.get(key);
      if (kept === undefined) continue;
      this.#running += 1;
      void this.#fetch(key, kept);
    }
  }

  async #fetch(key: string, kept: Kept): Promise<void> {
    try {
      const keySet = await this.#options.fetch(kept.state.request);
      if (this.#isKept(key, kept)) this.#arrive(key, kept, keySet);
    } catch (thrown) {
      if (this.#isKept(key, kept)) this.#fail(key, kept, MeshError.from(thrown));
    } finally {
      kept.attempted = true;
      this.#running -= 1;
      this.#next();
      this.#notify();
    }
  }

  /** False if the key set was dropped meanwhile, even if it is needed again. */
  #isKept(key: string, kept: Kept): boolean {
    return !this.#stopped && this.#kept.get(key) === kept;
  }

  #arrive(key: string, kept: Kept, keySet: CheckedKeySet): void {
    const { clock, random, refreshMs, arrived } = this.#options;
    const before = kept.state;
    kept.state = { ...before, keySet, fetchedAt: clock.now(), error: undefined, failures: 0 };
    kept.backoff.reset();
    const pauseMs = refreshMs * (1 - jitterShare + 2 * jitterShare * random());
    kept.cancel = clock.after(pauseMs, () => this.#enqueue(key, kept));
    arrived(kept.state, before);
  }

  #fail(key: string, kept: Kept, error: MeshError): void {
    const { clock, failed } = this.#options;
    const before = kept.state;
    kept.state = { ...before, error, failures: before.failures + 1 };
    kept.cancel = clock.after(kept.backoff.next(), () => this.#enqueue(key, kept));
    failed(kept.state, before);
  }

  #allTried(): boolean {
    return this.#stopped || this.#kept.values().every(({ attempted }) => attempted);
  }

  #notify(): void {
    if (!this.#allTried()) return;
    for (const resolve of this.#waiting) resolve();
  }
}
