import type { Clock } from "../../lib/time/clock.ts";

export interface ResetLimits {
  /** Streams that the clients of one address may reset at once. */
  readonly burst: number;
  /** How many more each second. */
  readonly perSecond: number;
}

/** Beyond any client that behaves, also for many behind one address. Node limits single connections to half of it. */
export const defaultResetLimits: ResetLimits = { burst: 2_000, perSecond: 100 };

/** Addresses that are remembered. Beyond it those that have reset nothing lately are forgotten. */
const mostAddresses = 10_000;

interface Account {
  level: number;
  countedAt: number;
  blocked: boolean;
}

/**
 * Counts the streams that clients reset, by address over all their connections: to open and reset streams costs a client
 * nothing and a server much (CVE-2023-44487), and a limit for each connection is escaped by opening another one. An
 * address above the limit is blocked until half of its resets are forgotten.
 */
export class ResetGuard {
  readonly #clock: Clock;
  readonly #limits: ResetLimits;
  readonly #accounts = new Map<string, Account>();

  constructor(clock: Clock, limits: ResetLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** A client of this address has reset a stream. True when that was one too many. */
  reset(address: string): boolean {
    const account = this.#accountOf(address);
    // A flood that goes on keeps its address out for no longer than a short one does.
    account.level = Math.min(account.level + 1, 2 * this.#limits.burst + 1);
    if (account.blocked || account.level <= this.#limits.burst) return false;
    account.blocked = true;
    return true;
  }

  isBlocked(address: string): boolean {
    return this.#accounts.has(address) && this.#accountOf(address).blocked;
  }

  #accountOf(address: string): Account {
    const known = this.#accounts.get(address);
    if (known !== undefined) return this.#forgetSome(known);
    if (this.#accounts.size >= mostAddresses) this.#forgetIdle();
    const account = { level: 0, countedAt: this.#clock.now(), blocked: false };
    this.#accounts.set(address, account);
    return account;
  }

  #forgetSome(account: Account): Account {
    const now = this.#clock.now();
    const { burst, perSecond } = this.#limits;
    account.level = Math.max(0, account.level - ((now - account.countedAt) / 1_000) * perSecond);
    account.countedAt = now;
    if (account.level <= burst / 2) account.blocked = false;
    return account;
  }

  #forgetIdle(): void {
    for (const [address, account] of this.#accounts) {
      if (this.#forgetSome(account).level === 0) this.#accounts.delete(address);
    }
  }
}
