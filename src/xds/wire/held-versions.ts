import { hash64 } from "../../lib/hash.ts";
import { scanFields } from "./wire.ts";

/**
 * What a client says it holds from an earlier stream: names with versions, as they stood in the message. A hundred
 * kilobytes of them come with every reconnect, and nearly always they are what we would send: so they are counted and
 * summed up, and read one by one only where that is not enough.
 */
export class HeldVersions {
  static readonly none = new HeldVersions(new Uint8Array(), 0);
  readonly size: number;
  readonly #section: Buffer;
  #digest: bigint | undefined;
  #versions: ReadonlyMap<string, string> | undefined;

  /** `section` is copied: the message may be gone before the first answer leaves. */
  constructor(section: Uint8Array, size: number) {
    this.#section = Buffer.from(section);
    this.size = size;
  }

  /** False as long as nobody needed the single names. */
  get decoded(): boolean {
    return this.#versions !== undefined;
  }

  /** The sum over all entries, comparable with that of resources. */
  get digest(): bigint {
    this.#digest ??= this.#sum((entry) => hash64(entry));
    return this.#digest;
  }

  /** The sum of the hashes of the names alone. */
  get nameDigest(): bigint {
    return this.#sum((entry) => {
      let hash = 0n;
      scanFields(entry, (field, start, end) => {
        if (field === 1) hash = hash64(entry.subarray(start, end));
      });
      return hash;
    });
  }

  /** Version by name. */
  get versions(): ReadonlyMap<string, string> {
    this.#versions ??= new Map(this.#decode());
    return this.#versions;
  }

  #sum(hashOf: (entry: Buffer) => bigint): bigint {
    let sum = 0n;
    scanFields(this.#section, (_field, start, end) => {
      sum += hashOf(this.#section.subarray(start, end));
    });
    return sum;
  }

  #decode(): (readonly [name: string, version: string])[] {
    const entries: (readonly [string, string])[] = [];
    scanFields(this.#section, (_field, start, end) => entries.push(mapEntry(this.#section.subarray(start, end))));
    return entries;
  }
}

function mapEntry(bytes: Buffer): readonly [key: string, value: string] {
  let key = "";
  let value = "";
  scanFields(bytes, (field, start, end) => {
    if (field === 1) key = bytes.toString("utf8", start, end);
    else if (field === 2) value = bytes.toString("utf8", start, end);
  });
  return [key, value];
}
