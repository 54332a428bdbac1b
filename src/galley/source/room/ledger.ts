import { type Config, configKey } from "../../../config/config.ts";
import { typicalBytes, objectBytes } from "./object-bytes.ts";
import type { Room } from "./room.ts";

/** The objects of one collection of a source, with the heap that each takes. */
interface Account {
  readonly taken: Map<string, number>;
  readonly leftOut: Set<string>;
  /** The objects of the current replay. */
  readonly repeated: Set<string>;
}

/** The share of the room that must be free before a source is read again for a part of its objects. */
const worthwhileShare = 0.02;

/** `taken`, or `leftOut` for now, or `overfull`: it may not be left out, and does not fit. */
export type Verdict = "taken" | "leftOut" | "overfull";

export interface LedgerOptions {
  readonly room: Room;
  /** Whether objects of this collection are never left out. */
  readonly isEssential: (collection: string) => boolean;
}

/**
 * Decides which objects of one source fit. A new object that does not fit is left out. Changes and removals of known
 * objects count, and so do essential objects: a policy is never left out while a route is let in.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #accounts = new Map<string, Account>();
  #skipped = 0;
  /** The collections whose replay is not complete. */
  #replaying: Set<string> | undefined;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Whether the source is about to report everything again. */
  get isReplaying(): boolean {
    return this.#replaying !== undefined;
  }

  /** Whether enough room is free to read the source again: for all objects that are left out, or for many of them. */
  hasRoom(pendingBytes = 0): boolean {
    const { freeBytes, limits } = this.#options.room;
    return freeBytes - pendingBytes >= Math.min(this.leftOut * typicalBytes, worthwhileShare * limits.objectBytes);
  }

  /** The number of objects that are left out. */
  get leftOut(): number {
    return this.refused + this.#skipped;
  }

  /** Objects that the source has reported, and that are left out. The source must report them again to get them in. */
  get refused(): number {
    return this.#accounts.values().reduce((sum, { leftOut }) => sum + leftOut.size, 0);
  }

  /** A source that decides by itself says how many objects it has left out, and takes them in when it is read again. */
  skip(objects: number): void {
    this.#skipped = objects;
  }

  /** Whether such a source may keep this new object, after others that take `pendingBytes`. */
  fits(config: Config, pendingBytes: number): boolean {
    return objectBytes(config) <= this.#options.room.freeBytes - pendingBytes;
  }

  /** Whether an object may be left out: the mesh has no version of it, and it restricts no access. */
  mayLeaveOut(collection: string, config: Config): boolean {
    return !this.#options.isEssential(collection) && !this.#account(collection).taken.has(configKey(config));
  }

  upsert(collection: string, config: Config): Verdict {
    const { room, isEssential } = this.#options;
    const mayLeaveOut = this.mayLeaveOut(collection, config);
    const { taken, leftOut, repeated } = this.#account(collection);
    const key = configKey(config);
    const before = taken.get(key);
    const bytes = objectBytes(config);
    const growth = bytes - (before ?? 0);
    if (growth > 0 && growth > (mayLeaveOut ? room.freeBytes : room.freeTotalBytes)) {
      if (mayLeaveOut) leftOut.add(key);
      return mayLeaveOut ? "leftOut" : "overfull";
    }
    leftOut.delete(key);
    taken.set(key, bytes);
    repeated.add(key);
    room.take(growth, isEssential(collection));
    return "taken";
  }

  /** Returns whether the object was taken in. */
  delete(collection: string, key: string): boolean {
    const { taken, leftOut } = this.#account(collection);
    leftOut.delete(key);
    const bytes = taken.get(key);
    if (bytes === undefined) return false;
    taken.delete(key);
    this.#give(collection, bytes);
    return true;
  }

  /** The source will report all objects of these collections again. */
  reset(collections: readonly string[]): void {
    this.#replaying = new Set(collections);
    for (const { leftOut, repeated } of this.#accounts.values()) {
      leftOut.clear();
      repeated.clear();
    }
  }

  /** The last collection ends the replay. Objects that the source did not repeat are gone then. */
  synced(collection: string): void {
    this.#replaying?.delete(collection);
    if (this.#replaying?.size !== 0) return;
    this.#replaying = undefined;
    for (const [name, { taken, repeated }] of this.#accounts) {
      for (const key of [...taken.keys()].filter((each) => !repeated.has(each))) this.delete(name, key);
    }
  }

  /** The source is gone, and its objects with it. */
  close(): void {
    for (const [collection, { taken }] of this.#accounts) this.#give(collection, sumOf(taken.values()));
    this.#accounts.clear();
    this.#skipped = 0;
  }

  #give(collection: string, bytes: number): void {
    this.#options.room.take(-bytes, this.#options.isEssential(collection));
  }

  #account(collection: string): Account {
    const account = this.#accounts.get(collection) ?? { taken: new Map(), leftOut: new Set(), repeated: new Set() };
    this.#accounts.set(collection, account);
    return account;
  }
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
