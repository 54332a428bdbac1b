import { type Config, configKey } from "../config/config.ts";
import { compareTexts } from "../lib/compare.ts";
import { encodeLine } from "./log-line.ts";
import { loggedObject, objectIdOf, type Provenance } from "./logged-object.ts";
import {
  entryAfter,
  type LoggedChange,
  type LoggedSettings,
  type MomentCause,
  type MomentId,
  placeKey,
  provenanceIn,
  type SegmentHead,
  type StateEntry,
} from "./moment.ts";

/** An object in force, in the collection that its source fills. */
export interface CollectedConfig {
  readonly collection: string;
  readonly config: Config;
}

/** An object that changed. Without `after` it was removed. */
export interface ConfigChange {
  readonly collection: string;
  readonly key: string;
  readonly before: Config | undefined;
  readonly after: Config | undefined;
}

/** A segment grows at least so far before the next one begins. */
const leastBytes = 1024 * 1024;

/**
 * Makes the records of one segment. Its state comes first, and its moments follow. It writes each content once. A
 * segment is full when its moments are as long as its state. So a state costs at most as much as the changes after it,
 * and a reader of any moment reads a state and no more moments than that.
 */
export class SegmentWriter {
  readonly #minBytes: number;
  readonly #written = new Set<string>();
  readonly #state = new Map<string, StateEntry>();
  #bytes = 0;
  #stateBytes = 0;
  #last: MomentId;

  /** `begin` is the moment after which the objects are in force. */
  constructor(begin: MomentId, minBytes = leastBytes) {
    this.#last = begin;
    this.#minBytes = minBytes;
  }

  get isFull(): boolean {
    return this.#bytes - this.#stateBytes > Math.max(this.#minBytes, this.#stateBytes);
  }

  /** The last moment that was written. */
  get last(): MomentId {
    return this.#last;
  }

  /** The objects after the last moment, by their places. */
  get state(): ReadonlyMap<string, StateEntry> {
    return this.#state;
  }

  head(settings: LoggedSettings): string {
    const head: SegmentHead = { format: 1, ...this.#last, settings };
    return this.#count(encodeLine("segment", JSON.stringify(head)));
  }

  /** One object of the state. `known` is the entry of this place in the segment before. */
  hold({ collection, config }: CollectedConfig, known: StateEntry | undefined): string {
    const { id, record } = this.#content(config, collection);
    const key = configKey(config);
    const since = known?.object === id ? known.since : this.#last;
    const provenance = known?.object === id ? provenanceIn(known) : provenanceOf(config);
    this.#state.set(placeKey({ collection, key }), { collection, key, object: id, ...provenance, since });
    return record;
  }

  /** Ends the state. */
  holdEnd(): string {
    const text = this.#count(encodeLine("state", JSON.stringify([...this.#state.values()])));
    this.#stateBytes = this.#bytes;
    return text;
  }

  /** Empty if nothing changed that resources or readers could notice. */
  moment(at: number, cause: MomentCause, changes: readonly ConfigChange[]): string {
    const id: MomentId = { number: this.#last.number + 1, at: Math.max(at, this.#last.at) };
    const records: string[] = [];
    const logged = changes.flatMap((change) => {
      const { entry, record } = this.#change(change, id);
      if (record !== undefined) records.push(record);
      return entry ?? [];
    });
    return logged.length === 0 ? "" : records.join("") + this.#momentLine({ ...id, cause, changes: logged });
  }

  /** The moment at which this segment begins, if the one before does not end there: after a start or a gap. */
  opening(cause: MomentCause, changes: readonly LoggedChange[]): string {
    return this.#momentLine({ ...this.#last, cause, changes });
  }

  #momentLine(moment: MomentId & { readonly cause: MomentCause; readonly changes: readonly LoggedChange[] }): string {
    this.#last = { number: moment.number, at: moment.at };
    return this.#count(encodeLine("moment", JSON.stringify(moment)));
  }

  #change({ collection, key, before, after }: ConfigChange, id: MomentId) {
    const config = after ?? before;
    if (config === undefined) return {};
    const content = after && this.#content(after, collection);
    const known = this.#state.get(placeKey({ collection, key }));
    // An object that only moved within its file is the same.
    if (content?.id === known?.object) return { record: content?.record };
    const entry: LoggedChange = { collection, key, ...idsOf(known?.object, content?.id), ...provenanceOf(config) };
    this.#note(entry, id);
    return { entry, record: content?.record };
  }

  #note(change: LoggedChange, since: MomentId): void {
    const entry = entryAfter(change, since);
    if (entry === undefined) this.#state.delete(placeKey(change));
    else this.#state.set(placeKey(change), entry);
  }

  #content(config: Config, collection: string): { readonly id: string; readonly record: string } {
    const json = JSON.stringify(loggedObject(config, collection));
    const id = objectIdOf(json);
    if (this.#written.has(id)) return { id, record: "" };
    this.#written.add(id);
    return { id, record: this.#count(encodeLine("object", `${id} ${json}`)) };
  }

  #count(text: string): string {
    this.#bytes += text.length;
    return text;
  }
}

function provenanceOf({ origin }: Config): Provenance {
  return provenanceIn(origin);
}

function idsOf(before: string | undefined, object: string | undefined): Pick<LoggedChange, "before" | "object"> {
  return { ...(before !== undefined && { before }), ...(object !== undefined && { object }) };
}

/** The changes from one state to another. The content of the later state is written already. */
export function changesBetweenStates(
  before: ReadonlyMap<string, StateEntry>,
  after: ReadonlyMap<string, StateEntry>,
): readonly LoggedChange[] {
  const gone = [...before].flatMap(([place, entry]) =>
    after.has(place) ? [] : [changeOf(entry, entry.object, undefined)],
  );
  const changed = [...after].flatMap(([place, entry]) => {
    const known = before.get(place)?.object;
    return known === entry.object ? [] : [changeOf(entry, known, entry.object)];
  });
  return [...gone, ...changed].toSorted((a, b) => compareTexts(placeKey(a), placeKey(b)));
}

function changeOf(entry: StateEntry, before: string | undefined, object: string | undefined): LoggedChange {
  const { collection, key } = entry;
  return { collection, key, ...idsOf(before, object), ...provenanceIn(entry) };
}
