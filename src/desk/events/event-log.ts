import type { DeskEvent } from "../api/model/events.ts";

/** One flush: the kinds of its events, and the changes in it. Summaries are made when somebody reads them. */
export interface LoggedFlush {
  readonly number: number;
  readonly kinds: ReadonlySet<DeskEvent["type"]>;
  /** Ids. */
  readonly changes: ReadonlySet<string>;
}

const maxKept = 256;

/** The last flushes, for readers that come back. */
export class EventLog {
  readonly #start: string;
  readonly #kept: LoggedFlush[] = [];
  #number = 0;

  constructor(start: string) {
    this.#start = start;
  }

  /** The id of the newest flush, for `Last-Event-ID`. */
  get newest(): string {
    return `${this.#start}-${this.#number}`;
  }

  add(kinds: ReadonlySet<DeskEvent["type"]>, changes: ReadonlySet<string>): LoggedFlush {
    const flush = { number: ++this.#number, kinds, changes };
    this.#kept.push(flush);
    if (this.#kept.length > maxKept) this.#kept.shift();
    return flush;
  }

  /** Something happened that no flush has: ids so far are too old. */
  interrupt(): void {
    this.#kept.length = 0;
    this.#number++;
  }

  /** Everything after an id, as one flush. Undefined if the id is of another start, unknown, or too old. */
  since(id: string): LoggedFlush | undefined {
    const prefix = `${this.#start}-`;
    const number = id.startsWith(prefix) ? id.slice(prefix.length) : "";
    if (!/^\d{1,15}$/u.test(number)) return undefined;
    const last = Number(number);
    const oldest = this.#kept[0]?.number ?? this.#number + 1;
    if (last > this.#number || last < oldest - 1) return undefined;
    const missed = this.#kept.filter(({ number }) => number > last);
    return {
      number: this.#number,
      kinds: new Set(missed.flatMap(({ kinds }) => [...kinds])),
      changes: new Set(missed.flatMap(({ changes }) => [...changes])),
    };
  }
}
