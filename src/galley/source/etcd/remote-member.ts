import { Duplex } from "node:stream";
import type { Etcd3, IEvent, IKeyValue, IRangeResponse, IResponseHeader, IWatchRequest, IWatchResponse } from "etcd3";
import { assert } from "../../../lib/assert.ts";
import { type Limits, limitsOf, overLimit } from "../../../lib/bounded/limit.ts";
import { MeshError } from "../../../lib/errors.ts";
import { type EtcdAccess, openEtcd } from "./etcd-client.ts";
import { etcdLimits } from "./etcd-limits.ts";
import type { EtcdChange, EtcdEntry, EtcdMember, EtcdPage, EtcdPosition, EtcdWatch, WatchStep } from "./etcd-member.ts";
import { etcdError, isOverLimit, isUnknownRevision } from "./etcd-reason.ts";
import { keysBelow } from "./object-key.ts";

/** A connection to the member at this address. `prefix` is without a slash at the end. */
export async function openMember(
  access: EtcdAccess,
  host: string,
  prefix: string,
  others: Partial<Limits<typeof etcdLimits>> = {},
): Promise<EtcdMember> {
  const limits = limitsOf(etcdLimits, others);
  return new RemoteMember(await openEtcd(access, host, limits), keysBelow(`${prefix}/`), limits);
}

type KeyRange = ReturnType<typeof keysBelow>;

class RemoteMember implements EtcdMember {
  readonly #client: Etcd3;
  readonly #keys: KeyRange;
  readonly #limits: Limits<typeof etcdLimits>;

  constructor(client: Etcd3, keys: KeyRange, limits: Limits<typeof etcdLimits>) {
    this.#client = client;
    this.#keys = keys;
    this.#limits = limits;
  }

  /** Uses a key within the permissions of the user. The key need not exist. */
  async position(): Promise<EtcdPosition> {
    const { header } = await this.#client.kv.range({ key: this.#keys.key, count_only: true });
    return positionOf(header);
  }

  async read(key: string, revision: number): Promise<EtcdEntry | undefined> {
    try {
      const { kvs } = await this.#client.kv.range({ key: Buffer.from(key), revision });
      return kvs.map(entryOf)[0];
    } catch (thrown) {
      if (isUnknownRevision(thrown)) return undefined;
      throw etcdError(thrown);
    }
  }

  /** Stops at a page that makes no progress or exceeds the requested size, because the next page would be no better. */
  async *pages(): AsyncGenerator<EtcdPage> {
    const { pageKeys, keys } = this.#limits;
    let position: EtcdPosition | undefined;
    let seen = 0;
    for (let { key } = this.#keys, more = true; more; ) {
      const { header, kvs, more: goesOn } = await this.#page(key, pageKeys, position?.revision ?? 0);
      if (kvs.length > pageKeys) throw overLimit("a page of etcd", pageKeys, "keys", kvs.length);
      seen += kvs.length;
      if (seen > keys) throw overLimit("the content of etcd below the prefix", keys, "keys", seen);
      position ??= positionOf(header);
      yield { entries: kvs.map(entryOf), position };
      more = goesOn;
      const last = kvs.at(-1)?.key;
      if (more && (last === undefined || Buffer.compare(last, key) < 0))
        throw new MeshError("peer-protocol", "etcd sent a page that does not continue the last one");
      // The first key after the last one.
      key = Buffer.concat([last ?? key, Buffer.from("\0")]);
    }
  }

  /** Reads at most this many keys, or fewer if the message would be too large. */
  async #page(key: Buffer, limit: number, revision: number): Promise<IRangeResponse> {
    const { range_end } = this.#keys;
    try {
      return await this.#client.kv.range({ key, range_end, limit, revision });
    } catch (thrown) {
      const error = etcdError(thrown);
      if (limit === 1 || !isOverLimit(error)) throw error;
      return await this.#page(key, Math.ceil(limit / 8), revision);
    }
  }

  async watch(from: number): Promise<EtcdWatch> {
    const stream = await this.#client.watchClient.watch();
    assert(stream instanceof Duplex, "a call with streams both ways is one stream to Node");
    const request = { ...this.#keys, start_revision: from, progress_notify: true };
    stream.write({ create_request: request } satisfies IWatchRequest);
    return new RemoteWatch(stream);
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/**
 * Replaces the library's own watcher, which reconnects by itself. That watcher drops the reason of a cancellation.
 * While it catches up, it also takes the store's position for its own and loses the changes in between.
 */
class RemoteWatch implements EtcdWatch {
  readonly #stream: Duplex & { readonly cancel?: () => void };

  constructor(stream: Duplex) {
    this.#stream = stream;
    // The reader of the stream gets the error. Without a listener the error would end the process.
    stream.on("error", () => {});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchStep> {
    // The stream decodes only watch responses, hence the cast.
    try {
      for await (const response of this.#stream as AsyncIterable<IWatchResponse>) yield stepOf(response);
    } catch (thrown) {
      throw etcdError(thrown);
    }
    throw new MeshError("unavailable", "the server ended the watch");
  }

  askProgress(): void {
    if (this.#stream.writable) this.#stream.write({ progress_request: {} } satisfies IWatchRequest);
  }

  fail(reason: Error): void {
    this.#stream.destroy(reason);
    this.#stream.cancel?.();
  }

  [Symbol.dispose](): void {
    this.fail(new MeshError("cancelled", "the watch was cancelled"));
  }
}

function stepOf({ header, created, canceled, compact_revision, cancel_reason, events }: IWatchResponse): WatchStep {
  if (canceled && Number(compact_revision) > 0) return { type: "compacted" };
  if (canceled) throw new MeshError("unavailable", `the server ended the watch: ${cancel_reason || "no reason given"}`);
  if (created) return { type: "created", position: positionOf(header) };
  if (events.length > 0) return { type: "changes", changes: events.map(changeOf) };
  return { type: "progress", revision: Number(header.revision) };
}

function changeOf({ type, kv }: IEvent): EtcdChange {
  // Compares in the protocol's spelling, because the library's types are wrong here.
  if (type.toLowerCase() === "delete")
    return { type: "delete", key: kv.key.toString(), revision: Number(kv.mod_revision) };
  return { type: "put", ...entryOf(kv) };
}

function entryOf({ key, value, mod_revision, create_revision }: IKeyValue): EtcdEntry {
  return { key: key.toString(), value, revision: Number(mod_revision), since: Number(create_revision) };
}

function positionOf({ cluster_id, revision }: IResponseHeader): EtcdPosition {
  return { cluster: cluster_id, revision: Number(revision) };
}
