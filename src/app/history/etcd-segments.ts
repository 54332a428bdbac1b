import type { EtcdClient } from "../../etcd/etcd-client.ts";
import type { EtcdTransaction } from "../../etcd/etcd-transaction.ts";
import { keysBelow } from "../../galley/source/etcd/object-key.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { openEtcd } from "../etcd/open-etcd.ts";
import type { EtcdPlace } from "../sources/etcd.ts";
import { maxSegmentBytes, type SegmentStore, beginIn } from "./segment-store.ts";

/** A value has so many characters at most: etcd takes requests of 1.5 MiB. */
const valueChars = 128 * 1024;
/** Values per answer: together far below the limit of a message. */
const pageValues = 64;

/**
 * Segments in etcd. Each write adds keys, so nothing is stored twice: `PREFIX/records/SEGMENT/NUMBER` has the records, and
 * `PREFIX/segments/SEGMENT` the bytes so far. A write that failed is repeated under new keys.
 */
export class EtcdSegments implements SegmentStore {
  readonly #place: EtcdPlace;
  #client: EtcdClient | undefined;
  /** Counts the members that were tried. */
  #tried = 0;
  #current = { name: "", keys: 0, bytes: 0 };
  /** Whether the last write failed, so that the last line may have no end. */
  #isTorn = false;

  constructor(place: EtcdPlace) {
    this.#place = place;
  }

  /** An etcd that cannot be reached now is tried again with the first write. */
  prepare(): Promise<void> {
    return Promise.resolve();
  }

  async list() {
    const folder = `${this.#place.prefix}/segments/`;
    const { entries } = await this.#read((client) => client.range(keysBelow(folder)));
    return entries.flatMap(({ key, value }) => {
      const name = key.slice(folder.length);
      const begin = beginIn(name);
      const head = parseJson(value.toString());
      const bytes = isMapping(head) ? head["bytes"] : undefined;
      return begin === undefined || typeof bytes !== "number" ? [] : [{ name, bytes, begin }];
    });
  }

  /** Empty for a segment that was deleted meanwhile. */
  async read(name: string): Promise<string> {
    const { key: first, end } = keysBelow(this.#recordsOf(name));
    const values: Buffer[] = [];
    let bytes = 0;
    for (let key: Uint8Array | undefined = first; key !== undefined; ) {
      const from: Uint8Array = key;
      const page = await this.#read((client) => client.range({ key: from, end, limit: pageValues }));
      for (const { value } of page.entries) {
        bytes += value.length;
        values.push(value);
      }
      if (bytes > maxSegmentBytes)
        throw new MeshError("limit-exceeded", `${name}: longer than ${maxSegmentBytes} bytes`);
      key = page.more && page.lastKey !== undefined ? Buffer.concat([page.lastKey, Buffer.alloc(1)]) : undefined;
    }
    return Buffer.concat(values).toString();
  }

  async append(name: string, text: string): Promise<void> {
    if (this.#current.name !== name) {
      this.#current = { name, keys: 0, bytes: 0 };
      this.#isTorn = false;
    }
    const current = this.#current;
    const line = this.#isTorn ? `\n${text}` : text;
    this.#isTorn = true;
    for (const value of valuesOf(line)) {
      current.keys += 1;
      current.bytes += Buffer.byteLength(value);
      const key = `${this.#recordsOf(name)}${String(current.keys).padStart(9, "0")}`;
      const head = JSON.stringify({ bytes: current.bytes });
      await this.#write([
        { type: "put", key, value },
        { type: "put", key: this.#headOf(name), value: head },
      ]);
    }
    this.#isTorn = false;
  }

  async remove(name: string): Promise<void> {
    await this.#write([
      { type: "delete", key: this.#headOf(name) },
      { type: "delete below", key: this.#recordsOf(name) },
    ]);
  }

  close(): Promise<void> {
    this.#drop();
    return Promise.resolve();
  }

  #headOf(name: string): string {
    return `${this.#place.prefix}/segments/${name}`;
  }

  #recordsOf(name: string): string {
    return `${this.#place.prefix}/records/${name}/`;
  }

  /** Asks each member once. */
  async #read<T>(work: (client: EtcdClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#call(work);
      } catch (thrown) {
        if (attempt >= this.#place.hosts.length) throw thrown;
      }
    }
  }

  async #write(success: EtcdTransaction["success"]): Promise<void> {
    await this.#call((client) => client.transact({ success }));
  }

  /** After a failure the next call uses the next member. */
  async #call<T>(work: (client: EtcdClient) => Promise<T>): Promise<T> {
    const { hosts } = this.#place;
    const client = (this.#client ??= openEtcd(this.#place, hosts[this.#tried++ % hosts.length] ?? ""));
    try {
      return await work(client);
    } catch (thrown) {
      if (this.#client === client) this.#drop();
      throw new MeshError("unavailable", `etcd: ${errorFrom(thrown).message}`, { cause: thrown });
    }
  }

  #drop(): void {
    this.#client?.[Symbol.dispose]();
    this.#client = undefined;
  }
}

/** Parts of a text. None ends in the middle of a character. */
function* valuesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + valueChars;
    const isSplit = /[\uD800-\uDBFF]/u.test(text[end - 1] ?? "");
    yield text.slice(start, isSplit ? end - 1 : end);
    start = isSplit ? end - 1 : end;
  }
}
