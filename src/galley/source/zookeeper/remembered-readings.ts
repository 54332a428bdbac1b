import type { Members } from "./layout.ts";

interface Remembered<T> {
  readonly text: string;
  readonly reading: T;
}

/** The readings of a folder's members. A member is read again only when its text has changed. */
export class RememberedReadings<T> {
  readonly #read: (name: string, text: string) => T;
  #known: ReadonlyMap<string, Remembered<T>> = new Map();

  constructor(read: (name: string, text: string) => T) {
    this.#read = read;
  }

  /** In the order of the members. Members that are gone are forgotten. */
  of(members: Members): readonly T[] {
    const known = new Map<string, Remembered<T>>();
    for (const [name, text] of members) {
      const before = this.#known.get(name);
      known.set(name, before?.text === text ? before : { text, reading: this.#read(name, text) });
    }
    this.#known = known;
    return Array.from(known.values(), ({ reading }) => reading);
  }
}
