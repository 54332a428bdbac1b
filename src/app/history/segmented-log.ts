import type { View } from "../../collection/collection.ts";
import { type Config, configKey } from "../../config/config.ts";
import type { History } from "../../history/history.ts";
import {
  type LoggedSettings,
  type MomentCause,
  type MomentId,
  placeKey,
  type StateEntry,
} from "../../history/moment.ts";
import { type RetentionLimits, segmentsToDelete } from "../../history/retention.ts";
import { SegmentWriter } from "../../history/segment-writer.ts";
import { changesBetweenStates } from "../../history/state-changes.ts";
import { changeAmongProxies } from "./change-among-proxies.ts";
import { NewestValues } from "./newest-values.ts";
import type { PendingRecord } from "./pending-records.ts";
import { openHistory, type SegmentStore, segmentName } from "./segment-store.ts";

export interface SegmentedLogOptions {
  readonly store: SegmentStore;
  readonly settings: LoggedSettings;
  readonly limits: RetentionLimits;
  /** Lets other work run between two objects. */
  readonly turn: () => Promise<void>;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
  /** Eight hexadecimal digits. */
  readonly random: () => string;
  /** A segment grows at least so far before the next one begins. */
  readonly minSegmentBytes?: number;
}

/** The objects in force, by the collection that sources fill. */
type UnitedViews = readonly (readonly [collection: string, view: View<Config>])[];

/** The objects in force after a commit. */
interface CommittedMesh {
  readonly views: UnitedViews;
  readonly sequence: number;
}

/** Commits whose moments are known. A push comes seconds after its commit, so older ones are not asked for. */
const maxCommits = 10_000;

/** The end of a log: its last moment and the objects after it. */
interface LogEnd {
  readonly last: MomentId;
  readonly state: ReadonlyMap<string, StateEntry>;
}

/** Text for the current segment. The caller adds it, and repeats that after a failure. */
export interface SegmentText {
  readonly name: string;
  readonly text: string;
}

/** A log as a series of segments. It makes the text of each, one after the other. */
export class SegmentedLog {
  readonly #options: SegmentedLogOptions;
  #segment: { readonly name: string; readonly writer: SegmentWriter } | undefined;
  #before: LogEnd | undefined;
  #proxyBytes = 0;
  /** The moment of each commit. */
  readonly #numbers = new NewestValues(maxCommits);

  constructor(options: SegmentedLogOptions) {
    this.#options = options;
  }

  /** Finds the end of the log. Called before everything else. */
  async open(): Promise<void> {
    this.#before = await endOf(await openHistory(this.#options.store));
  }

  /** Bytes of the records about proxies. */
  get proxyBytes(): number {
    return this.#proxyBytes;
  }

  /** Whether the next text must begin a segment. */
  get needsSegment(): boolean {
    return this.#segment === undefined || this.#segment.writer.isFull;
  }

  /** The text of these records. Undefined if they changed nothing, and if there is no segment yet. */
  async moments(records: readonly PendingRecord[]): Promise<SegmentText | undefined> {
    if (this.#segment === undefined) return undefined;
    const { name, writer } = this.#segment;
    const texts: string[] = [];
    for (const record of records) {
      if (record.type === "proxies") {
        const text = writer.proxies(changeAmongProxies(record.sample, (position) => this.#momentOf(position)));
        this.#proxyBytes += text.length;
        texts.push(text);
      } else {
        texts.push(writer.moment(record.at, "change", record.changes));
        this.#numbers.add(record.sequence, writer.last.number);
      }
      await this.#options.turn();
    }
    const text = texts.join("");
    return text === "" ? undefined : { name, text };
  }

  /** Begins a segment with these objects. With a cause, they are the state after a new moment, and no proxy is known. */
  async begin({ views, sequence }: CommittedMesh, cause: MomentCause | undefined): Promise<SegmentText> {
    const { timeOfDay, random, settings, turn, minSegmentBytes } = this.#options;
    const before: LogEnd | undefined = this.#segment
      ? { last: this.#segment.writer.last, state: this.#segment.writer.state }
      : this.#before;
    const { number, at } = before?.last ?? { number: 0, at: timeOfDay() };
    const begin = cause === undefined ? { number, at } : { number: number + 1, at: Math.max(at, timeOfDay()) };
    const writer = new SegmentWriter(begin, minSegmentBytes);
    const records = [writer.head(settings)];
    for (const [collection, view] of views) {
      for (const config of view.values()) {
        const known = before?.state.get(placeKey({ collection, key: configKey(config) }));
        records.push(writer.hold({ collection, config }, known));
        await turn();
      }
    }
    records.push(writer.holdEnd(cause === undefined ? this.#segment?.writer : undefined));
    if (cause !== undefined) {
      this.#numbers.add(sequence, begin.number);
      const changes = before === undefined ? [] : changesBetweenStates(before.state, writer.state);
      records.push(writer.opening(cause, changes));
    }
    this.#segment = { name: segmentName(begin, random()), writer };
    this.#before = undefined;
    return { name: this.#segment.name, text: records.join("") };
  }

  /** The last moment up to a commit. Before the first commit it is the one at which this server started. */
  #momentOf(sequence: number): number {
    return this.#numbers.at(sequence) ?? this.#numbers.first ?? 0;
  }

  /** Deletes what is too old or too much. */
  async retain(): Promise<void> {
    const { store, limits, timeOfDay } = this.#options;
    for (const { name } of segmentsToDelete(await store.list(), timeOfDay(), limits)) await store.remove(name);
  }
}

/** Undefined for a log without a readable segment. */
async function endOf(history: History): Promise<LogEnd | undefined> {
  const mesh = await history.at({ type: "moment", number: Number.MAX_SAFE_INTEGER });
  return mesh && { last: mesh.moment, state: mesh.entries };
}
