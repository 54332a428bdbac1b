import { RunSum } from "../../lib/run-sum.ts";
import { scanFields } from "./wire-format.ts";

/**
 * The names and versions that a client holds from an earlier stream, as bytes of the message. Every reconnect sends
 * about a hundred kilobytes of them. They nearly always equal the server's resources. So the server counts and sums
 * them, and decodes them only if the sums differ.
 */
export class HeldVersions {
  static readonly none = new HeldVersions(new Uint8Array(), 0);
  readonly size: number;
  #section: Buffer;
  #isKept = false;
  #versions: ReadonlyMap<string, string> | undefined;
  #digest: bigint | undefined;

  /** A view of the message: see {@link keep}. */
  constructor(section: Uint8Array, size: number) {
    this.#section = Buffer.from(section.buffer, section.byteOffset, section.length);
    this.size = size;
  }

  /**
   * Copies the bytes, because the message ends before the first answer has left. Mostly that answer leaves at once, and
   * nothing is copied.
   */
  keep(): void {
    if (!this.#isKept) this.#section = Buffer.from(this.#section);
    this.#isKept = true;
  }

  /** False until a caller needs the single names. */
  get decoded(): boolean {
    return this.#versions !== undefined;
  }

  /** The sum over all entries, comparable with the sum over resources. */
  get digest(): bigint {
    if (this.#digest !== undefined) return this.#digest;
    const sum = new RunSum(this.#section);
    scanFields(this.#section, (_field, start, end) => sum.add(start, end));
    this.#digest = sum.digest;
    return this.#digest;
  }

  /** The sum over the names alone. */
  get nameDigest(): bigint {
    const sum = new RunSum(this.#section);
    scanFields(this.#section, (_field, start, end) => {
      let [nameStart, nameEnd] = [0, 0];
      scanFields(this.#section.subarray(start, end), (field, from, to) => {
        if (field === 1) [nameStart, nameEnd] = [start + from, start + to];
      });
      sum.add(nameStart, nameEnd);
    });
    return sum.digest;
  }

  /** Version by name. */
  get versions(): ReadonlyMap<string, string> {
    this.#versions ??= new Map(this.#decode());
    return this.#versions;
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
