import type { Clock } from "../../lib/time/clock.ts";

export interface ResetLimits {
  /** The number of streams that the clients of one address may reset at once. */
  readonly burst: number;
  /** The number of further resets per second. */
  readonly perSecond: number;
}

/**
 * Higher than any well-behaved client needs, also with many clients behind one address. Node limits each connection to
 * half of it.
 */
export const defaultResetLimits: ResetLimits = { burst: 2_000, perSecond: 100 };

/** The limit of remembered addresses. Above it, addresses without recent resets are forgotten. */
const mostAddresses = 10_000;

interface Account {
  level: number;
  countedAt: number;
  blocked: boolean;
}

/**
 * Counts stream resets per client address, over all connections. Opening and resetting streams is free for a client and
 * expensive for a server (CVE-2023-44487). A client could escape a limit per connection with more connections. An
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

  /** A client of this address reset a stream. Returns true when the address is now above the limit. */
  reset(address: string): boolean {
    const account = this.#accountOf(address);
    // A continued flood blocks its address for no longer than a short flood.
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
