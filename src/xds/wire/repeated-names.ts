import { hash64 } from "../../lib/hash.ts";

/** The bytes of all names of one request, tags included. */
export interface NameRun {
  readonly length: number;
  /** The number of names. */
  readonly size: number;
  readonly hash: bigint;
}

/** Shorter runs are scanned as fast as they are hashed. */
const shortest = 512;
/** A stream requests few types by name. */
const most = 4;

/**
 * The names that a SotW stream has sent. A client repeats all names of a type in every ACK, in the same order: 1 200
 * names are 40 kB. They are recognised by their length and their hash, so that the single names are not visited again.
 */
export class RepeatedNames {
  #runs: readonly NameRun[] = [];

  /** The known run that begins at this place of a message. */
  find(message: Uint8Array, start: number): NameRun | undefined {
    return this.#runs.find(
      ({ length, hash }) =>
        start + length <= message.length && hash64(message.subarray(start, start + length)) === hash,
    );
  }

  /** Keeps no bytes of the message. */
  remember({ length, size, hash }: NameRun): void {
    if (length < shortest) return;
    this.#runs = [{ length, size, hash }, ...this.#runs].slice(0, most);
  }
}
