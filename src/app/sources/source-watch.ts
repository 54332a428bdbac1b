import type { Source, SourceEvent } from "../../galley/source/source.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Supervisor } from "../../lib/supervisor.ts";
import type { Clock } from "../../lib/time/clock.ts";

/** What is known of a source beside what it has. Times are those of the clock. */
export interface SourceRecord {
  /** When it last said something; undefined before it did. */
  readonly heardAt: number | undefined;
  /** Since when it cannot follow; undefined while it can. */
  readonly staleSince: number | undefined;
  /** How often it has told all it has, and how often it lost sight of where it reads from. */
  readonly syncs: number;
  readonly errors: number;
}

const unheard: SourceRecord = { heardAt: undefined, staleSince: undefined, syncs: 0, errors: 0 };

/** Listens to what sources say of themselves, and logs it: once for each change. */
export class SourceWatch {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #supervisor: Supervisor;
  readonly #records = new Map<string, SourceRecord>();

  constructor(clock: Clock, logger: Logger, supervisor: Supervisor) {
    this.#clock = clock;
    this.#logger = logger;
    this.#supervisor = supervisor;
  }

  /** Of the source that has the name now. */
  recordOf(name: string): SourceRecord {
    return this.#records.get(name) ?? unheard;
  }

  /** The same source, listened to. */
  watched(source: Source): Source {
    const { name, collections } = source;
    const unsynced = new Set<string>();
    return {
      name,
      collections,
      start: (handler) => {
        this.#note(name, { staleSince: undefined });
        return source.start((events) => {
          this.#supervisor.run("source watch", () => {
            for (const event of events) this.#hear(source, event, unsynced);
            this.#note(name, { heardAt: this.#clock.now() });
          });
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
      this.#logger.warn({ source: name, reason: event.reason }, "source stale");
      this.#note(name, { staleSince: staleSince ?? this.#clock.now(), errors: errors + 1 });
    } else if (event.type === "fresh" && staleSince !== undefined) {
      this.#logger.info({ source: name, staleMs: Math.round(this.#clock.now() - staleSince) }, "source fresh");
      this.#note(name, { staleSince: undefined });
    }
  }

  #note(name: string, news: Partial<SourceRecord>): void {
    this.#records.set(name, { ...this.recordOf(name), ...news });
  }
}
