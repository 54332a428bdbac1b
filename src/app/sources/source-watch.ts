import type { Source, SourceEvent } from "../../galley/source/source.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";

/** The health of a source. Times are those of the clock. */
export interface SourceRecord {
  /** Time of the last event; undefined before the first. */
  readonly heardAt: number | undefined;
  /** Time since which the source is stale; undefined while it is current. */
  readonly staleSince: number | undefined;
  /** Number of full syncs, and number of times that the source lost its origin. */
  readonly syncs: number;
  readonly errors: number;
}

const unheard: SourceRecord = { heardAt: undefined, staleSince: undefined, syncs: 0, errors: 0 };

/**
 * Tracks the health of sources and logs each change once. It updates the record of a source before it logs, so that a
 * failing log leaves the record right.
 */
export class SourceWatch {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #records = new Map<string, SourceRecord>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The record of the source that has the name now. */
  recordOf(name: string): SourceRecord {
    return this.#records.get(name) ?? unheard;
  }

  /** Wraps a source to track its health. */
  watched(source: Source): Source {
    const { name, collections } = source;
    const unsynced = new Set<string>();
    return {
      name,
      collections,
      start: (handler) => {
        this.#note(name, { staleSince: undefined });
        return source.start((events) => {
          this.#note(name, { heardAt: this.#clock.now() });
          for (const event of events) this.#hear(source, event, unsynced);
          handler(events);
        });
      },
      stop: () => source.stop(),
      idle: () => source.idle(),
    };
  }

  #hear({ name, collections }: Source, event: SourceEvent, unsynced: Set<string>): void {
    const { staleSince, syncs, errors } = this.recordOf(name);
    if (event.type === "fullSync") {
      if (unsynced.size === 0) for (const collection of collections) unsynced.add(collection);
      unsynced.delete(event.collection);
      if (unsynced.size === 0) this.#note(name, { syncs: syncs + 1 });
    } else if (event.type === "stale") {
      this.#note(name, { staleSince: staleSince ?? this.#clock.now(), errors: errors + 1 });
      this.#logger.warn({ source: name, reason: event.reason }, "source stale");
    } else if (event.type === "fresh" && staleSince !== undefined) {
      this.#note(name, { staleSince: undefined });
      this.#logger.info({ source: name, staleMs: Math.round(this.#clock.now() - staleSince) }, "source fresh");
    }
  }

  #note(name: string, news: Partial<SourceRecord>): void {
    this.#records.set(name, { ...this.recordOf(name), ...news });
  }
}
