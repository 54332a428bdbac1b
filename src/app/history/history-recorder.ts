import type { Collection, Commit } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import type { MomentCause } from "../../history/moment.ts";
import type { ConfigChange } from "../../history/segment-writer.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ReportFailure, SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { FleetSample } from "./fleet-sampler.ts";
import { type PendingRecord, PendingRecords } from "./pending-records.ts";
import { SegmentedLog, type SegmentedLogOptions } from "./segmented-log.ts";
import { SteadyAppend } from "./steady-append.ts";

export interface HistoryRecorderOptions extends SegmentedLogOptions {
  /** The objects in force, by the collection that sources fill. */
  readonly united: ReadonlyMap<string, Collection<Config>>;
  readonly clock: SupervisedClock;
  readonly logger: Logger;
  /** Gets the failures that are not those of the store. */
  readonly onFailure: ReportFailure;
  /** Called when a segment begins without the proxies of the one before. */
  readonly onProxiesLost?: () => void;
  /** More waiting changes are given up: the next segment begins with the objects that are in force then. */
  readonly maxPending?: number;
}

/** Changes within this time are written together. */
const quietMs = 100;
/** The limits of age and bytes are checked this often. */
const retentionMs = 60 * 60_000;

/**
 * Writes what is in force into a log. A commit only notes its changes. Everything else happens later, in small steps, so
 * that no push waits for it. A store that takes nothing is tried again.
 */
export class HistoryRecorder {
  readonly #options: HistoryRecorderOptions;
  readonly #log: SegmentedLog;
  readonly #append: SteadyAppend;
  readonly #pending: PendingRecords;
  /** Why the next segment has a moment of its own. Undefined if it goes on where the last one ended. */
  #cause: MomentCause | undefined = "start";
  #isRunning = false;
  /** Whether the end of the log is known. */
  #isOpen = false;
  /** The last commit that was noted. */
  #sequence: number | undefined;
  #writing: Promise<void> | undefined;
  #cancelWrite: Cancel | undefined;
  #cancelRetention: Cancel = () => undefined;

  constructor(options: HistoryRecorderOptions) {
    this.#options = options;
    this.#log = new SegmentedLog(options);
    this.#append = new SteadyAppend(options);
    this.#pending = new PendingRecords(options.maxPending ?? 100_000);
  }

  /** Bytes of the records about proxies. */
  get proxyBytes(): number {
    return this.#log.proxyBytes;
  }

  /** Begins with the objects that are in force now. Rejects if nothing can be written. */
  async start(): Promise<void> {
    await this.#options.store.prepare();
    // A store that cannot be read now is tried again before the first write.
    await this.#open().catch((thrown: unknown) => this.#append.failed(thrown));
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
    this.#append.stop();
    await this.#writing;
    const failed = (thrown: unknown) => this.#append.failed(thrown);
    if (wasRunning && !this.#append.isFailing) await this.#writePending().catch(failed);
    await this.#options.store.close().catch(failed);
  }

  /** Resolves when everything that was noted so far is written. */
  async idle(): Promise<void> {
    while (this.#writing !== undefined || this.#cancelWrite !== undefined) {
      this.#write();
      await this.#writing;
    }
  }

  /** A commit of the graph that the objects are in. */
  committed(commit: Commit): void {
    if (!this.#isRunning) return;
    const { sequence } = commit;
    // The part was paused after a failure.
    if (this.#sequence !== undefined && sequence !== this.#sequence + 1) this.#giveUpPending();
    this.#sequence = sequence;
    const changes = this.#changesIn(commit);
    if (changes.length > 0) this.#note({ type: "objects", at: this.#options.timeOfDay(), sequence, changes });
  }

  /** A change among the connected proxies. */
  sampled(sample: FleetSample): void {
    if (this.#isRunning) this.#note({ type: "proxies", sample });
  }

  #changesIn(commit: Commit): readonly ConfigChange[] {
    return Array.from(this.#options.united, ([collection, united]) =>
      commit.changesOf(united).map((change) => {
        const before = change.type === "added" ? undefined : change.before;
        const after = change.type === "removed" ? undefined : change.after;
        return { collection, key: change.key, before, after };
      }),
    ).flat();
  }

  #note(record: PendingRecord): void {
    this.#pending.add(record);
    if (this.#pending.isOverfull) this.#giveUpPending();
    this.#writeLater();
  }

  #giveUpPending(): void {
    this.#pending.take();
    this.#cause ??= "gap";
  }

  #writeLater(): void {
    this.#cancelWrite ??= this.#options.clock.after(quietMs, () => this.#write());
  }

  async #open(): Promise<void> {
    await this.#log.open();
    this.#isOpen = true;
  }

  #write(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (this.#writing !== undefined) return;
    this.#writing = this.#writePending()
      .catch((thrown: unknown) => this.#options.onFailure(thrown))
      .finally(() => {
        this.#writing = undefined;
        if (this.#isRunning && !this.#pending.isEmpty) this.#writeLater();
      });
  }

  async #writePending(): Promise<void> {
    if (!this.#isOpen) await this.#append.repeat(() => this.#open());
    do {
      const cause = this.#cause;
      this.#cause = undefined;
      try {
        await this.#writeOnce(this.#pending.take(), cause);
      } catch (thrown) {
        this.#cause ??= cause ?? "gap";
        throw thrown;
      }
    } while (this.#isRunning && (!this.#pending.isEmpty || this.#cause !== undefined));
  }

  async #writeOnce(records: readonly PendingRecord[], cause: MomentCause | undefined): Promise<void> {
    const begins = cause !== undefined || this.#log.needsSegment;
    // The views have the same commits as the list.
    const mesh = { views: begins ? this.#views() : [], sequence: this.#sequence ?? 0 };
    const moments = cause === undefined ? await this.#log.moments(records) : undefined;
    if (moments !== undefined) await this.#append.append(moments);
    if (!begins) return;
    if (cause !== undefined) this.#options.onProxiesLost?.();
    await this.#append.append(await this.#log.begin(mesh, cause));
    await this.#retain();
  }

  #views() {
    return Array.from(this.#options.united, ([collection, united]) => [collection, united.snapshot()] as const);
  }

  async #retain(): Promise<void> {
    await this.#log.retain().catch((thrown: unknown) => this.#append.failed(thrown));
  }

  #retainLater(): void {
    this.#cancelRetention = this.#options.clock.after(retentionMs, () => {
      this.#retainLater();
      void this.#retain();
    });
  }
}
