import type { EtcdClient } from "../../etcd/etcd-client.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { type EtcdAccess, openEtcd } from "../etcd/open-etcd.ts";

export interface LeasedKeysOptions {
  readonly access: EtcdAccess;
  readonly clock: Clock;
  /** Time that the keys outlive the process. */
  readonly ttlMs: number;
  /** Called with a reason when writes fail, and with undefined when they succeed again. */
  readonly onTrouble: (reason: string | undefined) => void;
}

/** A connection, and the lease of the keys written over it. */
interface Hold {
  readonly client: EtcdClient;
  readonly lease: bigint;
}

const retryMs = 1_000;
const shortestTtlSeconds = 2;

/**
 * Keys that stay in etcd while this process wants them, and for some time after its end, even after a crash. A key
 * belongs to its last writer. A key that another process took over is not deleted by us, nor ended by our lease.
 */
export class LeasedKeys {
  readonly #options: LeasedKeysOptions;
  readonly #wanted = new Map<string, string>();
  /** Keys whose value in etcd may be out of date. */
  readonly #due = new Set<string>();
  #hold: Hold | undefined;
  #turn = 0;
  #working: Promise<void> | undefined;
  #cancel: Cancel = () => {};
  #open = true;

  constructor(options: LeasedKeysOptions) {
    this.#options = options;
    this.#renewLater();
  }

  put(key: string, value: string): void {
    this.#wanted.set(key, value);
    this.#touch(key);
  }

  remove(key: string): void {
    this.#wanted.delete(key);
    this.#touch(key);
  }

  /** Resolves when every change so far is written or has failed. */
  async idle(): Promise<void> {
    await this.#working;
  }

  /** Keys stay until the lease ends, because their machines may be moving to another server. */
  async close(): Promise<void> {
    this.#open = false;
    this.#cancel();
    await this.#working;
    this.#drop();
  }

  #touch(key: string): void {
    this.#due.add(key);
    this.#work();
  }

  #work(): void {
    this.#working ??= this.#writeAll().finally(() => {
      this.#working = undefined;
      // Writes the keys that changed during the write. After a failure there is no hold, and a pause comes first.
      if (this.#due.size > 0 && this.#hold !== undefined && this.#open) this.#work();
    });
  }

  async #writeAll(): Promise<void> {
    try {
      for (const key of this.#due) await this.#write(key, await this.#held());
      this.#options.onTrouble(undefined);
    } catch (thrown) {
      this.#failed(errorFrom(thrown).message);
    }
  }

  async #write(key: string, { client, lease }: Hold): Promise<void> {
    const value = this.#wanted.get(key);
    if (value !== undefined) await client.transact({ success: [{ type: "put", key, value, lease }] });
    else {
      const isOurs = { type: "lease", key, equals: lease } as const;
      await client.transact({ conditions: [isOurs], success: [{ type: "delete", key }] });
    }
    if (this.#wanted.get(key) === value) this.#due.delete(key);
  }

  async #held(): Promise<Hold> {
    if (this.#hold !== undefined) return this.#hold;
    const { access, ttlMs } = this.#options;
    const client = openEtcd(access, access.hosts[this.#turn % access.hosts.length] ?? "");
    try {
      const ttlSeconds = Math.max(shortestTtlSeconds, Math.ceil(ttlMs / 1000));
      this.#hold = { client, lease: await client.grantLease(ttlSeconds) };
      return this.#hold;
    } catch (thrown) {
      client[Symbol.dispose]();
      throw thrown;
    }
  }

  #renewLater(): void {
    const { clock, ttlMs } = this.#options;
    this.#cancel = clock.after(ttlMs / 3, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    try {
      await this.#hold?.client.renewLease(this.#hold.lease);
      if (this.#open) this.#renewLater();
    } catch (thrown) {
      this.#failed(errorFrom(thrown).message);
    }
  }

  /** Takes another member and another lease, and writes every key again. Equal content changes nothing. */
  #failed(reason: string): void {
    this.#drop();
    if (!this.#open) return;
    this.#turn += 1;
    for (const key of this.#wanted.keys()) this.#due.add(key);
    this.#options.onTrouble(reason);
    this.#cancel();
    this.#cancel = this.#options.clock.after(retryMs, () => {
      this.#work();
      this.#renewLater();
    });
  }

  #drop(): void {
    this.#hold?.client[Symbol.dispose]();
    this.#hold = undefined;
  }
}
