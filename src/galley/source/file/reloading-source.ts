import { setImmediate } from "node:timers/promises";
import type { Issue } from "../../../config/issue.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Debouncer } from "../../../lib/time/debouncer.ts";
import type { Source, SourceEvent, SourceHandler } from "../source.ts";
import { whyUnreadable } from "./file-system.ts";

/** An editor's save is several events; this pause makes them one reload. */
const settleMs = 20;
/** However busy the files are, they are read this often. */
const maxSettleMs = 500;
/** A look that was disturbed is not believed, but where there is never peace the last of so many is. */
const maxLooks = 4;

/** Looks at files again and again, from one start of a source to its stop. */
export interface FileReader {
  /** Looks at everything. Rejects when there is nothing to look at, with the reason for people. */
  look(): Promise<Tell>;
  close(): void;
}

/** Says what is new in a look, compared with the last one of which that was said. */
export type Tell = () => readonly SourceEvent[];

export interface ReloadingSourceOptions {
  readonly name: string;
  readonly collections: readonly string[];
  readonly clock: Clock;
  /** A fresh reader, which calls `changed` whenever another look is due. */
  readonly open: (changed: () => void) => FileReader;
}

/**
 * A source made of files that are looked at as a whole, at the start and whenever they change. Looks never overlap,
 * and the outcome of each is one list of events. If one fails, the last state stands and the failure is an issue.
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

  /** Looks now, without waiting for a change to be noticed. Resolves when there is nothing left to look at. */
  async reload(): Promise<void> {
    await this.#session?.reload();
  }

  async idle(): Promise<void> {
    await this.#session?.idle();
  }
}

/** One start to its stop. */
class Session {
  /** Settles with the first look that is believed. */
  readonly opened: Promise<void>;
  readonly #options: ReloadingSourceOptions;
  readonly #handler: SourceHandler;
  readonly #reader: FileReader;
  readonly #reloads: Debouncer;
  #phase: "opening" | "open" | "closed" = "opening";
  /** How many were noticed so far, and how many of them before the last look. */
  #changes = 0;
  #seen = 0;
  #failing = false;

  constructor(options: ReloadingSourceOptions, handler: SourceHandler) {
    this.#options = options;
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
    // Why it could not be opened is for whoever started it.
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
    this.#reloads.cancel();
    await this.idle();
  }

  async #open(): Promise<void> {
    const tell = await this.#firstLook();
    if (this.#phase === "closed") return;
    const synced = this.#options.collections.map((collection) => ({ type: "fullSync", collection }) as const);
    this.#phase = "open";
    this.#handler([...tell(), ...synced]);
    if (this.#changes !== this.#seen) this.#reloads.trigger();
  }

  async #firstLook(): Promise<Tell> {
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
      return [...this.#failure([]), ...tell()];
    } catch (thrown) {
      return this.#failure([unreadable(this.#options.name, thrown)]);
    }
  }

  /**
   * Looks until nothing changes meanwhile. Otherwise a file could move from a folder not yet read to one read
   * already, and seem to be gone; or it could be read while only half of it is written.
   */
  async #look(): Promise<Tell> {
    for (let looks = 1; ; looks += 1) {
      this.#seen = this.#changes;
      const tell = await this.#reader.look();
      await everythingNoticed();
      if (this.#changes === this.#seen || looks === maxLooks || this.#phase === "closed") return tell;
    }
  }

  /** Said under the source's own name: it concerns no single file. */
  #failure(issues: readonly Issue[]): readonly SourceEvent[] {
    const wasFailing = this.#failing;
    this.#failing = issues.length > 0;
    return wasFailing || this.#failing ? [{ type: "issues", part: this.#options.name, issues }] : [];
  }
}

/** What has happened by now has come through once the event loop went round: twice, since we may be anywhere in it. */
async function everythingNoticed(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** What stands in for a file, or a whole source, that could not be read. What it last said still holds. */
export function unreadable(path: string, thrown: unknown): Issue {
  return {
    severity: "error",
    code: "unreadable",
    object: "",
    path: "",
    message: `${path} cannot be read, so what it last said is kept: ${whyUnreadable(thrown, "file")}`,
    place: undefined,
  };
}
