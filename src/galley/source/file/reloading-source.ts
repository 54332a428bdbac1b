import { setImmediate } from "node:timers/promises";
import type { Issue } from "../../../config/issue.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { Backoff } from "../../../lib/time/backoff.ts";
import { Debouncer } from "../../../lib/time/debouncer.ts";
import type { Source, SourceEvent, SourceHandler } from "../source.ts";
import { mayPass, whyUnreadable } from "./file-system.ts";

/** An editor saves in several events. This pause makes them one reload. */
const settleMs = 20;
/** The longest delay of a reload while files keep changing. */
const maxSettleMs = 500;
/** A look during which files changed is repeated. After this many looks the last one counts. */
const maxLooks = 4;
/** Pauses between looks while the system cannot read files, for example because too many are open. */
const retryMs = { firstMs: 500, lastMs: 30_000 };

/** Reads files repeatedly, from one start of a source to its stop. */
export interface FileReader {
  /** Reads everything. Rejects with a readable reason when nothing can be read. */
  look(): Promise<ReportChanges>;
  /**
   * Collections of which the last look may have missed an object that restricts access. They are not complete at the
   * start until a later look misses nothing. Absent if a look misses nothing.
   */
  withheld?(): Withheld | undefined;
  /** Whether the system could not read a part of the last look, for a reason that may pass. Absent if it never is. */
  lacksForNow?(): boolean;
  close(): void;
}

/** Collections that are not complete, and the reason. */
export interface Withheld {
  readonly collections: ReadonlySet<string>;
  readonly issue: Issue;
}

/** Returns the changes of a look, compared with the last reported look. */
export type ReportChanges = () => readonly SourceEvent[];

export interface ReloadingSourceOptions {
  readonly name: string;
  readonly collections: readonly string[];
  readonly clock: Clock;
  /** Creates a reader, which calls `changed` whenever another look is due. */
  readonly open: (changed: () => void) => FileReader;
}

/**
 * A source of files that are read as a whole, at the start and on every change. Looks never overlap, and each look
 * gives one list of events. If a look fails, the last state stays and the failure is an issue.
 */
export class ReloadingSource implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  readonly #options: ReloadingSourceOptions;
  #session: Session | undefined;

  constructor(options: ReloadingSourceOptions) {
    this.name = options.name;
    this.collections = options.collections;
    this.#options = options;
  }

  async start(handler: SourceHandler): Promise<void> {
    this.#session ??= new Session(this.#options, handler);
    const session = this.#session;
    try {
      await session.opened;
    } catch (thrown) {
      if (this.#session === session) await this.stop();
      throw thrown;
    }
  }

  async stop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  /** Looks now, without waiting for a change notification. Resolves when nothing is left to read. */
  async reload(): Promise<void> {
    await this.#session?.reload();
  }

  async idle(): Promise<void> {
    await this.#session?.idle();
  }
}

/** Lives from one start to its stop. */
class Session {
  /** Settles with the first accepted look. */
  readonly opened: Promise<void>;
  readonly #options: ReloadingSourceOptions;
  readonly #handler: SourceHandler;
  readonly #reader: FileReader;
  readonly #reloads: Debouncer;
  #phase: "opening" | "open" | "closed" = "opening";
  /** The number of changes so far, and the number before the last look. */
  #changes = 0;
  #seen = 0;
  #failing = false;
  readonly #pauses = new Backoff(retryMs);
  #cancelRetry: Cancel = () => undefined;
  /** Collections without a `fullSync` so far. */
  #incomplete: ReadonlySet<string>;

  constructor(options: ReloadingSourceOptions, handler: SourceHandler) {
    this.#options = options;
    this.#incomplete = new Set(options.collections);
    this.#handler = handler;
    this.#reader = options.open(() => this.#changed());
    this.#reloads = new Debouncer({
      clock: options.clock,
      quietMs: settleMs,
      maxWaitMs: maxSettleMs,
      run: () => this.#reload(),
    });
    this.opened = this.#open();
  }

  async reload(): Promise<void> {
    // The caller of `start` receives the reason of a failed open.
    await Promise.allSettled([this.opened]);
    if (this.#phase !== "open") return;
    this.#reloads.trigger();
    this.#reloads.flush();
    await this.#reloads.idle();
  }

  async idle(): Promise<void> {
    await Promise.allSettled([this.opened]);
    await this.#reloads.idle();
  }

  async close(): Promise<void> {
    this.#phase = "closed";
    this.#reader.close();
    this.#cancelRetry();
    this.#reloads.cancel();
    await this.idle();
  }

  async #open(): Promise<void> {
    const tell = await this.#firstLook();
    if (this.#phase === "closed") return;
    this.#phase = "open";
    this.#handler([...tell(), ...this.#complete()]);
    this.#planRetry(this.#reader.lacksForNow?.() === true);
    if (this.#changes !== this.#seen) this.#reloads.trigger();
  }

  async #firstLook(): Promise<ReportChanges> {
    try {
      return await this.#look();
    } catch (cause) {
      const sentence = `${this.#options.name}: ${errorFrom(cause).message}`;
      throw new MeshError("source-unavailable", sentence, { cause });
    }
  }

  #changed(): void {
    this.#changes += 1;
    if (this.#phase === "open") this.#reloads.trigger();
  }

  async #reload(): Promise<void> {
    const events = await this.#read();
    if (this.#phase !== "closed" && events.length > 0) this.#handler(events);
  }

  async #read(): Promise<readonly SourceEvent[]> {
    try {
      const tell = await this.#look();
      this.#planRetry(this.#reader.lacksForNow?.() === true);
      return [...this.#failure([]), ...tell(), ...this.#complete()];
    } catch (thrown) {
      this.#planRetry(mayPass(thrown));
      return this.#failure([unreadable(this.#options.name, thrown)]);
    }
  }

  /** Nobody reports that the system can read again. So the source looks by itself. */
  #planRetry(isNeeded: boolean): void {
    this.#cancelRetry();
    if (!isNeeded) this.#pauses.reset();
    else if (this.#phase !== "closed") {
      this.#cancelRetry = this.#options.clock.after(this.#pauses.next(), () => this.#changed());
    }
  }

  /**
   * Looks again until no file changes during a look. Otherwise a file could move from an unread folder to a folder
   * already read, and seem deleted. Or a half-written file could be read.
   */
  async #look(): Promise<ReportChanges> {
    for (let looks = 1; ; looks += 1) {
      this.#seen = this.#changes;
      const tell = await this.#reader.look();
      await everythingNoticed();
      if (this.#changes === this.#seen || looks === maxLooks || this.#phase === "closed") return tell;
    }
  }

  /** The collections that are complete now, and the reason why others are not. */
  #complete(): readonly SourceEvent[] {
    if (this.#incomplete.size === 0) return [];
    const withheld = this.#reader.withheld?.();
    const ready = [...this.#incomplete].filter((collection) => !withheld?.collections.has(collection));
    const waited = this.#incomplete.size < this.#options.collections.length;
    this.#incomplete = this.#incomplete.difference(new Set(ready));
    const part = `${this.#options.name} at the start`;
    return [
      ...(withheld !== undefined || waited
        ? [{ type: "issues", part, issues: withheld ? [withheld.issue] : [] } as const]
        : []),
      ...ready.map((collection) => ({ type: "fullSync", collection }) as const),
    ];
  }

  /** Reported under the source's own name, because it concerns no single file. */
  #failure(issues: readonly Issue[]): readonly SourceEvent[] {
    const wasFailing = this.#failing;
    this.#failing = issues.length > 0;
    return wasFailing || this.#failing ? [{ type: "issues", part: this.#options.name, issues }] : [];
  }
}

/**
 * Pending notifications arrive within one turn of the event loop. Two turns are needed, because the call may happen
 * anywhere in a turn.
 */
async function everythingNoticed(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** The issue of a file or source that could not be read. Its last content stays. */
export function unreadable(path: string, thrown: unknown): Issue {
  return {
    severity: "error",
    code: "unreadable",
    object: "",
    path: "",
    message: `${path} cannot be read, so its last content stays in use: ${whyUnreadable(thrown, "file")}`,
    place: undefined,
  };
}
