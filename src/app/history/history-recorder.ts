import type { Collection, Commit } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import type { MomentCause } from "../../history/moment.ts";
import type { ConfigChange } from "../../history/segment-writer.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ReportFailure, SupervisedClock } from "../../lib/supervisor.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { SegmentStore } from "./segment-store.ts";
import { type CommittedChanges, SegmentedLog, type SegmentedLogOptions, type SegmentText } from "./segmented-log.ts";

export interface HistoryRecorderOptions extends SegmentedLogOptions {
  /** The objects in force, by the collection that sources fill. */
  readonly united: ReadonlyMap<string, Collection<Config>>;
  readonly clock: SupervisedClock;
  readonly logger: Logger;
  /** Gets the failures that are not those of the store. */
  readonly onFailure: ReportFailure;
  /** More waiting changes are given up: the next segment begins with the objects that are in force then. */
  readonly maxPending?: number;
}

/** Changes within this time are written together. */
const quietMs = 100;
/** A failed write is tried again after these pauses. */
const pauses = { firstMs: 1_000, lastMs: 30_000 };
/** The limits of age and bytes are checked this often. */
const retentionMs = 60 * 60_000;

/**
 * Writes what is in force into a log. A commit only notes its changes. Everything else happens later, in small steps, so
 * that no push waits for it. A store that takes nothing is tried again.
 */
export class HistoryRecorder {
  readonly #options: HistoryRecorderOptions;
  readonly #store: SegmentStore;
  readonly #log: SegmentedLog;
  readonly #backoff = new Backoff(pauses);
  #pending: CommittedChanges[] = [];
  #pendingChanges = 0;
  /** Why the next segment has a moment of its own. Undefined if it goes on where the last one ended. */
  #cause: MomentCause | undefined = "start";
  #isRunning = false;
  /** The last commit that was noted. */
  #sequence: number | undefined;
  #writing: Promise<void> | undefined;
  #cancelWrite: Cancel | undefined;
  #cancelRetention: Cancel = () => undefined;
  /** Ends the pause after a failed write. */
  #wake: () => void = () => undefined;
  /** The reason why the store takes nothing. It is logged once. */
  #trouble: string | undefined;

  constructor(options: HistoryRecorderOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#log = new SegmentedLog(options);
  }

  /** Begins with the objects that are in force now. Rejects if nothing can be written. */
  async start(): Promise<void> {
    await this.#log.open();
    this.#isRunning = true;
    this.#write();
    this.#retainLater();
  }

  /** Writes what is pending, unless the store takes nothing. */
  async stop(): Promise<void> {
    const wasRunning = this.#isRunning;
    this.#isRunning = false;
    this.#cancelWrite?.();
    this.#cancelRetention();
    this.#wake();
    await this.#writing;
    if (wasRunning && this.#trouble === undefined)
      await this.#writePending().catch((thrown: unknown) => this.#unusable(thrown));
    await this.#store.close().catch((thrown: unknown) => this.#unusable(thrown));
  }

  /** Resolves when everything that was committed so far is written. */
  async idle(): Promise<void> {
    while (this.#writing !== undefined || this.#cancelWrite !== undefined) {
      this.#write();
      await this.#writing;
    }
  }

  /** A commit of the graph that the objects are in. */
  committed(commit: Commit): void {
    if (!this.#isRunning) return;
    // The part was paused after a failure.
    if (this.#sequence !== undefined && commit.sequence !== this.#sequence + 1) this.#giveUpPending();
    this.#sequence = commit.sequence;
    const changes: ConfigChange[] = [];
    for (const [collection, united] of this.#options.united) {
      for (const change of commit.changesOf(united)) {
        const before = change.type === "added" ? undefined : change.before;
        const after = change.type === "removed" ? undefined : change.after;
        changes.push({ collection, key: change.key, before, after });
      }
    }
    if (changes.length === 0) return;
    this.#pending.push({ at: this.#options.timeOfDay(), changes });
    this.#pendingChanges += changes.length;
    const { maxPending = 100_000 } = this.#options;
    if (this.#pendingChanges > maxPending) this.#giveUpPending();
    this.#cancelWrite ??= this.#options.clock.after(quietMs, () => this.#write());
  }

  #giveUpPending(): void {
    this.#takePending();
    this.#cause ??= "gap";
  }

  #takePending(): readonly CommittedChanges[] {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingChanges = 0;
    return pending;
  }

  #write(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (this.#writing !== undefined) return;
    this.#writing = this.#writePending()
      .catch((thrown: unknown) => this.#options.onFailure(thrown))
      .finally(() => {
        this.#writing = undefined;
        if (this.#isRunning && this.#pending.length > 0)
          this.#cancelWrite ??= this.#options.clock.after(quietMs, () => this.#write());
      });
  }

  async #writePending(): Promise<void> {
    do {
      const cause = this.#cause;
      this.#cause = undefined;
      try {
        await this.#writeOnce(this.#takePending(), cause);
      } catch (thrown) {
        this.#cause ??= cause ?? "gap";
        throw thrown;
      }
    } while (this.#isRunning && (this.#pending.length > 0 || this.#cause !== undefined));
  }

  async #writeOnce(commits: readonly CommittedChanges[], cause: MomentCause | undefined): Promise<void> {
    const begins = cause !== undefined || this.#log.needsSegment;
    // The views have the same commits as the list.
    const views = begins ? this.#views() : [];
    if (cause === undefined) await this.#append(await this.#log.moments(commits));
    if (!begins) return;
    await this.#append(await this.#log.begin(views, cause));
    await this.#log.retain().catch((thrown: unknown) => this.#unusable(thrown));
  }

  #views() {
    return Array.from(this.#options.united, ([collection, united]) => [collection, united.snapshot()] as const);
  }

  /** Adds the text, however often that fails. Rejects if it fails after the stop. */
  async #append(text: SegmentText | undefined): Promise<void> {
    if (text === undefined) return;
    for (;;) {
      try {
        await this.#store.append(text.name, text.text);
        break;
      } catch (thrown) {
        if (!this.#isRunning) throw thrown;
        this.#unusable(thrown);
        await this.#pause();
      }
    }
    this.#backoff.reset();
    if (this.#trouble !== undefined) this.#options.logger.info({}, "history is written again");
    this.#trouble = undefined;
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(this.#backoff.next(), resolve);
    this.#wake = resolve;
    await promise;
    cancel();
  }

  #unusable(thrown: unknown): void {
    const reason = errorFrom(thrown).message;
    if (reason !== this.#trouble) this.#options.logger.warn({ reason }, "history is not written");
    this.#trouble = reason;
  }

  #retainLater(): void {
    this.#cancelRetention = this.#options.clock.after(retentionMs, () => {
      this.#retainLater();
      this.#log.retain().catch((thrown: unknown) => this.#unusable(thrown));
    });
  }
}
