import { beginsAnew, type FleetAt, fleetIn } from "./fleet-at.ts";
import type { LoggedObject } from "./logged-object.ts";
import { entryAfter, type LoggedSettings, type Moment, type MomentId, placeKey, type StateEntry } from "./moment.ts";
import type { Segment } from "./segment.ts";

/** A segment that is read when somebody needs it. */
export interface StoredSegment {
  /** The moment after which it begins. */
  readonly begin: MomentId;
  /** Undefined if it cannot be read. */
  readonly load: () => Promise<Segment | undefined>;
}

/** A time, or the number of a moment. The time of a moment is after its changes. */
export type Position =
  | { readonly type: "time"; readonly at: number }
  | { readonly type: "moment"; readonly number: number };

/** The objects in force at one moment. */
export interface MeshAt {
  /** The last moment before or at the position. */
  readonly moment: MomentId;
  readonly settings: LoggedSettings;
  /** By their places. */
  readonly entries: ReadonlyMap<string, StateEntry>;
  /** The content of an object. Undefined if its record is damaged. */
  readonly objectOf: (entry: Pick<StateEntry, "object">) => LoggedObject | undefined;
  /** How many entries and changes were read to find it. */
  readonly visited: number;
}

/** One content of an object, while it was in force. */
export interface ObjectVersion {
  readonly entry: StateEntry;
  /** Undefined if its record is damaged. */
  readonly object: LoggedObject | undefined;
}

/** The most versions that a question about one object looks at. */
const maxVersions = 1_000;
/** Segments in memory. A question about an object goes from one to the one before. */
const maxLoaded = 2;

/** All segments of a log. Every question reads as few of them as it can. */
export class History {
  readonly #segments: readonly StoredSegment[];
  readonly #loaded = new Map<StoredSegment, Segment | undefined>();

  constructor(segments: readonly StoredSegment[]) {
    this.#segments = segments.toSorted((a, b) => a.begin.number - b.begin.number || a.begin.at - b.begin.at);
  }

  /** Undefined for a position before the log begins. */
  async at(position: Position): Promise<MeshAt | undefined> {
    const isBefore = (id: MomentId) => (position.type === "time" ? id.at <= position.at : id.number <= position.number);
    for (const stored of this.#segments.toReversed()) {
      if (!isBefore(stored.begin)) continue;
      const segment = await this.#load(stored);
      if (segment !== undefined) return meshIn(segment, isBefore);
    }
    return undefined;
  }

  /** The proxies that were connected; of a moment, just before the next one. Undefined before the log begins. */
  async fleetAt(position: Position): Promise<FleetAt | undefined> {
    const isBefore = (id: MomentId) => (position.type === "time" ? id.at <= position.at : id.number <= position.number);
    for (const stored of this.#segments.toReversed()) {
      const segment = isBefore(stored.begin) ? await this.#load(stored) : undefined;
      if (segment === undefined) continue;
      const fleet = fleetIn(segment, ({ after, at }) => isBefore({ number: after, at }));
      if (fleet !== undefined) return fleet;
      if (beginsAnew(segment)) return { moment: segment.head.number, at: segment.head.at, proxies: new Map() };
    }
    return undefined;
  }

  /** The newest first. */
  async *moments(): AsyncGenerator<Moment> {
    let next = Number.POSITIVE_INFINITY;
    for (const stored of this.#segments.toReversed()) {
      const segment = await this.#load(stored);
      for (const moment of segment?.moments.toReversed() ?? []) {
        // Two servers must not write into one directory. If they do, each moment is listed once.
        if (moment.number >= next) continue;
        next = moment.number;
        yield moment;
      }
    }
  }

  /** The contents of an object up to a position, the newest first, until it was created or the log begins. */
  async versionsOf(place: string, position: Position): Promise<readonly ObjectVersion[]> {
    const versions: ObjectVersion[] = [];
    for (let next = position; versions.length < maxVersions; ) {
      const mesh = await this.at(next);
      const entry = mesh?.entries.get(place);
      if (mesh === undefined || entry === undefined) break;
      versions.push({ entry, object: mesh.objectOf(entry) });
      next = { type: "moment", number: entry.since.number - 1 };
    }
    return versions;
  }

  /** How many records cannot be read. */
  async damaged(): Promise<number> {
    let damaged = 0;
    for (const stored of this.#segments) damaged += (await this.#load(stored))?.damaged ?? 0;
    return damaged;
  }

  async #load(stored: StoredSegment): Promise<Segment | undefined> {
    if (this.#loaded.has(stored)) return this.#loaded.get(stored);
    const segment = await stored.load();
    this.#loaded.set(stored, segment);
    const [oldest] = this.#loaded.keys();
    if (this.#loaded.size > maxLoaded && oldest !== undefined) this.#loaded.delete(oldest);
    return segment;
  }
}

function meshIn({ head, state, moments, objectOf }: Segment, isBefore: (id: MomentId) => boolean): MeshAt {
  const entries = new Map(state.map((entry) => [placeKey(entry), entry]));
  let moment: MomentId = head;
  let visited = state.length;
  for (const { number, at, changes } of moments) {
    if (!isBefore({ number, at })) break;
    moment = { number, at };
    visited += changes.length;
    // The state has the changes of the moment at which it was written.
    if (number <= head.number) continue;
    for (const change of changes) {
      const entry = entryAfter(change, moment);
      if (entry === undefined) entries.delete(placeKey(change));
      else entries.set(placeKey(change), entry);
    }
  }
  return {
    moment: { number: moment.number, at: moment.at },
    settings: head.settings,
    entries,
    objectOf: ({ object }) => objectOf(object),
    visited,
  };
}
