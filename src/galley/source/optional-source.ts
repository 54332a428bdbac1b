import { type Issue, warningAbout } from "../../config/issue.ts";
import { errorFrom } from "../../lib/errors.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";
import type { Source, SourceEvent, SourceHandler } from "./source.ts";

export interface OptionalOptions {
  readonly clock: Clock;
  /** How long the other sources wait for this one. */
  readonly waitMs: number;
}

/**
 * A source that the mesh can do without. Its start never fails and never takes longer than `waitMs`. After that the
 * others continue without it. It has an issue until it syncs, however late. A failed start is retried forever.
 */
export class OptionalSource implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  readonly #source: Source;
  readonly #options: OptionalOptions;
  #session: Session | undefined;

  constructor(source: Source, options: OptionalOptions) {
    this.name = source.name;
    this.collections = source.collections;
    this.#source = source;
    this.#options = options;
  }

  start(handler: SourceHandler): Promise<void> {
    this.#session ??= new Session(this.#source, this.#options, handler);
    return this.#session.settled;
  }

  async stop(): Promise<void> {
    this.#session?.close();
    this.#session = undefined;
    await this.#source.stop();
  }

  async reload(): Promise<void> {
    await this.#source.reload?.();
  }

  idle(): Promise<void> {
    return this.#source.idle();
  }
}

/** Lives from one start to its stop. */
class Session {
  readonly #source: Source;
  readonly #options: OptionalOptions;
  readonly #handler: SourceHandler;
  readonly #settled = Promise.withResolvers<void>();
  readonly #unsynced: Set<string>;
  readonly #cancelWait: Cancel;
  readonly #backoff = new Backoff({ firstMs: 1_000, lastMs: 30_000 });
  #cancelRetry: Cancel = () => {};
  #ailing = false;
  #open = true;

  constructor(source: Source, options: OptionalOptions, handler: SourceHandler) {
    this.#source = source;
    this.#options = options;
    this.#handler = handler;
    this.#unsynced = new Set(source.collections);
    this.#cancelWait = options.clock.after(options.waitMs, () => this.#giveUp(late(source.name, options.waitMs)));
    void this.#attempt();
  }

  /** Resolves when the source is running or the wait was given up. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  close(): void {
    this.#open = false;
    this.#cancelWait();
    this.#cancelRetry();
    this.#settled.resolve();
  }

  async #attempt(): Promise<void> {
    try {
      await this.#source.start((events) => this.#emit(events));
    } catch (thrown) {
      if (!this.#open) return;
      this.#giveUp(unavailable(thrown));
      this.#cancelRetry = this.#options.clock.after(this.#backoff.next(), () => void this.#attempt());
    }
    this.#settled.resolve();
  }

  #emit(events: readonly SourceEvent[]): void {
    if (!this.#open) return;
    for (const event of events) if (event.type === "fullSync") this.#unsynced.delete(event.collection);
    const synced = this.#unsynced.size === 0;
    if (synced) this.#cancelWait();
    this.#handler(synced && this.#ailing ? [...this.#issue([]), ...events] : events);
  }

  #giveUp(issue: Issue): void {
    this.#cancelWait();
    this.#handler([{ type: "overdue" }, ...this.#issue([issue])]);
    this.#settled.resolve();
  }

  /** Reported under the source's own name, because it concerns no single part. */
  #issue(issues: readonly Issue[]): readonly SourceEvent[] {
    this.#ailing = issues.length > 0;
    return [{ type: "issues", part: this.#source.name, issues }];
  }
}

function late(name: string, waitMs: number): Issue {
  const message = `${name} has not synced within ${waitMs} ms; the mesh continues without it`;
  return warningAbout("", { code: "source-late", message });
}

function unavailable(thrown: unknown): Issue {
  const message = `${errorFrom(thrown).message}; the mesh continues without it`;
  return warningAbout("", { code: "source-unavailable", message });
}
