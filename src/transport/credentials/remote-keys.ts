import { errors, type JWTVerifyGetKey } from "jose";
import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { type KeySet, readKeySet } from "./key-set.ts";

/** The maximum age of keys. A withdrawn key is used no longer than this. */
const refreshMs = 20 * 60_000;

/** The shortest time between two fetches, however many tokens have an unknown key. */
const pauseMs = 30_000;

export interface RemoteKeysOptions {
  /** Fetches the key set as JSON. */
  readonly fetch: () => Promise<unknown>;
  readonly clock: Clock;
  /** The fetch failed. The last keys stay in use. */
  readonly onError: (error: unknown) => void;
}

/** An issuer's keys, fetched periodically, and when a token names an unknown key. */
export class RemoteKeys implements KeySet {
  readonly #options: RemoteKeysOptions;
  #keys: JWTVerifyGetKey | undefined;
  #fetching: Promise<void> | undefined;
  #mayAskAt = Number.NEGATIVE_INFINITY;
  #cancelRefresh: Cancel = () => undefined;
  #stopped = false;

  constructor(options: RemoteKeysOptions) {
    this.#options = options;
  }

  readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    const known = this.#keys;
    try {
      return await find(known, header, token);
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown;
      await this.#askAgain();
      if (this.#keys === known) throw thrown;
      return await find(this.#keys, header, token);
    }
  };

  /** Starts even if the issuer is down. Its tokens are refused until it is back. */
  async start(): Promise<void> {
    this.#stopped = false;
    await this.#ask();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRefresh();
    await this.idle();
  }

  async idle(): Promise<void> {
    await this.#fetching;
  }

  #askAgain(): Promise<void> | undefined {
    if (this.#fetching !== undefined) return this.#fetching;
    return this.#options.clock.now() < this.#mayAskAt ? undefined : this.#ask();
  }

  #ask(): Promise<void> {
    const { clock } = this.#options;
    this.#mayAskAt = clock.now() + pauseMs;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
      this.#cancelRefresh();
      if (!this.#stopped) this.#cancelRefresh = clock.after(refreshMs, () => void this.#ask());
    });
    return this.#fetching;
  }

  async #fetch(): Promise<void> {
    try {
      this.#keys = readKeySet(await this.#options.fetch());
    } catch (thrown) {
      this.#options.onError(thrown);
    }
  }
}

const find = async (keys: JWTVerifyGetKey | undefined, ...asked: Parameters<JWTVerifyGetKey>) => {
  if (keys === undefined) throw new errors.JWKSNoMatchingKey();
  return await keys(...asked);
};
