import { hash64 } from "../../lib/hash.ts";
import { scanFields } from "./wire-format.ts";

/**
 * The names and versions that a client holds from an earlier stream, as bytes of the message. Every reconnect sends
 * about a hundred kilobytes of them. They nearly always equal the server's resources. So the server counts and sums
 * them, and decodes them only if the sums differ.
 */
export class HeldVersions {
  static readonly none = new HeldVersions(new Uint8Array(), 0);
  readonly size: number;
  readonly #section: Buffer;
  #versions: ReadonlyMap<string, string> | undefined;

  /** Copies `section`, because the message may be freed before the first answer leaves. */
  constructor(section: Uint8Array, size: number) {
    this.#section = Buffer.from(section);
    this.size = size;
  }

  /** False until a caller needs the single names. */
  get decoded(): boolean {
    return this.#versions !== undefined;
  }

  /** The sum over all entries, comparable with the sum over resources. */
  get digest(): bigint {
    return this.#sum((entry) => hash64(entry));
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
