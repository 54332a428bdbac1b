import type { Config, ConfigId } from "../../../config/config.ts";

/** A changed object, with the version before the change; undefined for a new object. */
export interface ChangedObject {
  readonly id: ConfigId;
  readonly before: Config | undefined;
}

interface Entry {
  /** The first push that contains the change. */
  readonly epoch: number;
  readonly before: Config | undefined;
}

/** More changes are not remembered: the oldest are forgotten first. */
const maxEntries = 10_000;

/**
 * The versions that objects had before changes that some connected proxy has not accepted yet. Time is counted in
 * epochs: each captured push begins one. The log is empty while every proxy has accepted everything.
 */
export class ChangeLog {
  /** In the order of changes. An object that changes again moves to the end, and keeps its oldest versions. */
  readonly #entries = new Map<ConfigId, readonly Entry[]>();
  #size = 0;
  #captured = 0;
  #published = 0;
  /** The first epoch that contains every change so far. */
  #lastNoted = 0;
  /** Older changes are forgotten, or were never noted. */
  #floor = 0;

  /** The epoch of the content that proxies get now. */
  get epoch(): number {
    return this.#published;
  }

  /** Whether proxies get every change so far. */
  get isPublished(): boolean {
    return this.#lastNoted <= this.#published;
  }

  get size(): number {
    return this.#size;
  }

  /** Objects have changed. The next captured push contains the changes. */
  note(changes: Iterable<ChangedObject>): void {
    for (const { id, before } of changes) {
      const known = this.#entries.get(id) ?? [];
      this.#entries.delete(id);
      this.#entries.set(id, [...known, { epoch: this.#captured + 1, before }]);
      this.#size += 1;
      this.#lastNoted = this.#captured + 1;
    }
    for (const [id, entries] of this.#entries) {
      if (this.#size <= maxEntries) break;
      this.#entries.delete(id);
      this.#size -= entries.length;
      this.#floor = Math.max(this.#floor, entries.at(-1)?.epoch ?? 0);
    }
  }

  /** A push contains all changes so far. */
  captured(): void {
    this.#captured += 1;
  }

  /** The last captured push is published. */
  published(): void {
    this.#published = this.#captured;
  }

  /** The objects that changed after this epoch, oldest change first; undefined if they are not known. */
  since(epoch: number): ReadonlyMap<ConfigId, Config | undefined> | undefined {
    if (epoch < this.#floor) return undefined;
    const changed = new Map<ConfigId, Config | undefined>();
    for (const [id, entries] of this.#entries) {
      const first = entries.find((entry) => entry.epoch > epoch);
      if (first !== undefined) changed.set(id, first.before);
    }
    return changed;
  }

  /** Every proxy has accepted everything up to this epoch. */
  forgetUntil(epoch: number): void {
    for (const [id, entries] of this.#entries) {
      const left = entries.filter((entry) => entry.epoch > epoch);
      this.#size -= entries.length - left.length;
      if (left.length === 0) this.#entries.delete(id);
      else this.#entries.set(id, left);
    }
    this.#floor = Math.max(this.#floor, epoch);
  }
}
