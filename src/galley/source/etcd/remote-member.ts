import type { EtcdClient, EtcdRange } from "../../../etcd/etcd-client.ts";
import { isOverLimit, isUnknownRevision } from "../../../etcd/etcd-error.ts";
import type { etcdLimits } from "../../../etcd/etcd-limits.ts";
import type { EtcdEntry, EtcdPosition, KeyRange } from "../../../etcd/etcd-values.ts";
import type { EtcdWatch } from "../../../etcd/etcd-watch.ts";
import { type Limits, overLimit } from "../../../lib/bounded/limit.ts";
import { MeshError } from "../../../lib/errors.ts";
import type { EtcdMember, EtcdPage } from "./etcd-member.ts";
import { keysBelow } from "./object-key.ts";

/** The keys below a prefix, on the member that the client calls. */
export class RemoteMember implements EtcdMember {
  readonly #client: EtcdClient;
  readonly #keys: KeyRange;
  readonly #limits: Limits<typeof etcdLimits>;

  /** `prefix` is without a slash at the end. The client ends with the member. */
  constructor(client: EtcdClient, prefix: string, limits: Limits<typeof etcdLimits>) {
    this.#client = client;
    this.#keys = keysBelow(`${prefix}/`);
    this.#limits = limits;
  }

  /** Uses a key within the permissions of the user. The key need not exist. */
  async position(): Promise<EtcdPosition> {
    const { position } = await this.#client.range({ key: this.#keys.key, countOnly: true });
    return position;
  }

  async read(key: string, revision: number): Promise<EtcdEntry | undefined> {
    try {
      const { entries } = await this.#client.range({ key: Buffer.from(key), revision });
      return entries[0];
    } catch (thrown) {
      if (isUnknownRevision(thrown)) return undefined;
      throw thrown;
    }
  }

  /** Stops at a page that makes no progress or exceeds the requested size, because the next page would be no better. */
  async *pages(): AsyncGenerator<EtcdPage> {
    const { pageKeys, keys } = this.#limits;
    let first: EtcdPosition | undefined;
    let seen = 0;
    for (let { key } = this.#keys, more = true; more; ) {
      const page = await this.#page(key, pageKeys, first?.revision ?? 0);
      const { entries, lastKey, position } = page;
      if (entries.length > pageKeys) throw overLimit("a page of etcd", pageKeys, "keys", entries.length);
      seen += entries.length;
      if (seen > keys) throw overLimit("the content of etcd below the prefix", keys, "keys", seen);
      first ??= position;
      yield { entries, position: first };
      ({ more } = page);
      if (more && (lastKey === undefined || Buffer.compare(lastKey, key) < 0))
        throw new MeshError("peer-protocol", "etcd sent a page that does not continue the last one");
      // The first key after the last one.
      key = Buffer.concat([lastKey ?? key, Buffer.from("\0")]);
    }
  }

  /** Reads at most this many keys, or fewer if the message would be too large. */
  async #page(key: Uint8Array, limit: number, revision: number): Promise<EtcdRange> {
    const { end } = this.#keys;
    try {
      return await this.#client.range({ key, end, limit, revision });
    } catch (thrown) {
      if (limit === 1 || !isOverLimit(thrown)) throw thrown;
      return await this.#page(key, Math.ceil(limit / 8), revision);
    }
  }

  watch(from: number): Promise<EtcdWatch> {
    return this.#client.watch(this.#keys, from);
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}
