import { type Config, configKey } from "../config/config.ts";
import { type FleetChange, FleetWriter } from "./fleet-writer.ts";
import { encodeLine } from "./log-line.ts";
import {
  entryAfter,
  type LoggedChange,
  type LoggedSettings,
  type Moment,
  type MomentCause,
  type MomentId,
  placeKey,
  provenanceIn,
  type SegmentHead,
  type StateEntry,
} from "./moment.ts";
import { SegmentContent } from "./segment-content.ts";
import { idsOf } from "./state-changes.ts";

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
 * segment is full when its moments are as long as its state. So a state costs at most as much as the changes after it.
 * A reader of any moment reads one state, and at most as many bytes of moments.
 */
export class SegmentWriter {
  readonly #minBytes: number;
  readonly #content = new SegmentContent();
  readonly #state = new Map<string, StateEntry>();
  readonly #fleet = new FleetWriter();
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
    const { id, record } = this.#content.add(config, collection);
    const key = configKey(config);
    const since = known?.object === id ? known.since : this.#last;
    const provenance = provenanceIn(known?.object === id ? known : config.origin);
    this.#state.set(placeKey({ collection, key }), { collection, key, object: id, ...provenance, since });
    return this.#count(record);
  }

  /** Ends the state. `before` is the segment whose proxies are still connected. */
  holdEnd(before?: SegmentWriter): string {
    const state = encodeLine("state", JSON.stringify([...this.#state.values()]));
    const text = this.#count(state + (before === undefined ? "" : this.#fleet.opening(before.#fleet)));
    this.#stateBytes = this.#bytes;
    return text;
  }

  /** Empty if nothing changed that resources or readers could notice. */
  moment(at: number, cause: MomentCause, changes: readonly ConfigChange[]): string {
    const id: MomentId = { number: this.#last.number + 1, at: Math.max(at, this.#last.at) };
    const records: string[] = [];
    const logged = changes.flatMap((change) => {
      const { entry, record = "" } = this.#change(change, id);
      records.push(this.#count(record));
      return entry ?? [];
    });
    return logged.length === 0 ? "" : records.join("") + this.#momentLine({ ...id, cause, changes: logged });
  }

  /** The moment at which this segment begins, if the one before does not end there: after a start or a gap. */
  opening(cause: MomentCause, changes: readonly LoggedChange[]): string {
    return this.#momentLine({ ...this.#last, cause, changes });
  }

  proxies(change: FleetChange): string {
    return this.#count(this.#fleet.change(change));
  }

  #momentLine(moment: Moment): string {
    this.#last = { number: moment.number, at: moment.at };
    return this.#count(encodeLine("moment", JSON.stringify(moment)));
  }

  #change({ collection, key, before, after }: ConfigChange, id: MomentId) {
    const config = after ?? before;
    if (config === undefined) return {};
    const content = after && this.#content.add(after, collection);
    const known = this.#state.get(placeKey({ collection, key }));
    // An object that only moved within its file is the same.
    if (content?.id === known?.object) return { record: content?.record };
    const ids = idsOf(known?.object, content?.id);
    const entry: LoggedChange = { collection, key, ...ids, ...provenanceIn(config.origin) };
    this.#note(entry, id);
    return { entry, record: content?.record };
  }

  #note(change: LoggedChange, since: MomentId): void {
    const entry = entryAfter(change, since);
    if (entry === undefined) this.#state.delete(placeKey(change));
    else this.#state.set(placeKey(change), entry);
  }

  #count(text: string): string {
    this.#bytes += text.length;
    return text;
  }
}
