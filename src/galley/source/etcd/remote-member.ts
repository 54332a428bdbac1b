import { Duplex } from "node:stream";
import type { Etcd3, IEvent, IKeyValue, IResponseHeader, IWatchRequest, IWatchResponse } from "etcd3";
import { assert } from "../../../lib/assert.ts";
import { MeshError } from "../../../lib/errors.ts";
import { type EtcdAccess, openEtcd } from "./etcd-client.ts";
import type { EtcdChange, EtcdEntry, EtcdMember, EtcdPage, EtcdPosition, EtcdWatch, WatchStep } from "./etcd-member.ts";
import { keysBelow } from "./object-key.ts";

/** So many values are parsed before others get their turn. */
const pageSize = 250;

/** A connection to the member at this address. `prefix` is without a slash at the end. */
export async function openMember(access: EtcdAccess, host: string, prefix: string): Promise<EtcdMember> {
  return new RemoteMember(await openEtcd(access, host), keysBelow(`${prefix}/`));
}

type KeyRange = ReturnType<typeof keysBelow>;

class RemoteMember implements EtcdMember {
  readonly #client: Etcd3;
  readonly #keys: KeyRange;

  constructor(client: Etcd3, keys: KeyRange) {
    this.#client = client;
    this.#keys = keys;
  }

  /** Of a key that the user may read; there need be none. */
  async position(): Promise<EtcdPosition> {
    const { header } = await this.#client.kv.range({ key: this.#keys.key, count_only: true });
    return positionOf(header);
  }

  async *pages(): AsyncGenerator<EtcdPage> {
    const { key: start, range_end } = this.#keys;
    let position: EtcdPosition | undefined;
    for (let key = start, more = true; more; ) {
      const revision = position?.revision ?? 0;
      const answer = await this.#client.kv.range({ key, range_end, limit: pageSize, revision });
      position ??= positionOf(answer.header);
      yield { entries: answer.kvs.map(entryOf), position };
      more = answer.more;
      // The first key after the last one.
      key = Buffer.concat([answer.kvs.at(-1)?.key ?? key, Buffer.from("\0")]);
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
 * The library has a watcher of its own, which comes back by itself after a disconnect; but it drops the reason of a
 * cancellation, and takes the position of the store for its own when it is still catching up: what lay between is lost.
 */
class RemoteWatch implements EtcdWatch {
  readonly #stream: Duplex & { readonly cancel?: () => void };

  constructor(stream: Duplex) {
    this.#stream = stream;
    // Whoever reads the stream gets it, if anybody does; without a listener it would end the process.
    stream.on("error", () => {});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchStep> {
    // The stream decodes nothing else.
    for await (const response of this.#stream as AsyncIterable<IWatchResponse>) yield stepOf(response);
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
    this.fail(new MeshError("cancelled", "nobody listens any more"));
  }
}

function stepOf({ header, created, canceled, compact_revision, cancel_reason, events }: IWatchResponse): WatchStep {
  if (canceled && Number(compact_revision) > 0) return { type: "compacted" };
  if (canceled)
    throw new MeshError("unavailable", `the server ended the watch: ${cancel_reason || "it gives no reason"}`);
  if (created) return { type: "created", position: positionOf(header) };
  if (events.length > 0) return { type: "changes", changes: events.map(changeOf) };
  return { type: "progress", revision: Number(header.revision) };
}

function changeOf({ type, kv }: IEvent): EtcdChange {
  // In the letters of the protocol, whatever the types of the library say.
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
