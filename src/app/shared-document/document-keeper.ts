import type { DocumentStore, StoredDocument } from "../../lib/document-store.ts";
import { MeshError, networkReason } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ReportFailure, SupervisedClock } from "../../lib/supervisor.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import { Debouncer } from "../../lib/time/debouncer.ts";

/** A document that this server shares with its replicas, and with itself after a restart. */
export interface SharedDocument {
  /** For the log: `store of … not usable`. */
  readonly name: string;
  /** Changes within this time are written together. */
  readonly quietMs: number;
  /** Calls back when there may be something to write. */
  onChanged(listener: () => void): void;
  /** Takes over what others wrote. `isFirst`: the server has just started, and serves no proxy so far. */
  follow(stored: StoredDocument<string>, isFirst: boolean): Promise<void>;
  /** Nothing is stored, although others may need it: the next draft has everything. */
  lost(): void;
  /** Differs from the stored document; undefined if there is nothing to write. */
  draft(): Draft | undefined | Promise<Draft | undefined>;
}

export interface Draft {
  readonly text: string;
  /** The text is stored. */
  readonly written: () => void;
}

/** The store of a document, and who is told about its failures. */
export interface KeeperOptions {
  readonly store: DocumentStore<string>;
  readonly clock: SupervisedClock;
  readonly logger: Logger;
  /** Gets the failures that are not those of the store. */
  readonly onFailure: ReportFailure;
}

/** The server does not wait longer for a store at its start. */
const startMs = 5_000;
/** A failed write is tried again after these pauses. */
const pauses = { firstMs: 1_000, lastMs: 30_000 };
/** How often a write is repeated because another replica was faster. */
const maxAttempts = 5;

/** Keeps a document of this server and the stored one equal. A store that fails costs nothing else. */
export class DocumentKeeper {
  readonly #document: SharedDocument;
  readonly #options: KeeperOptions;
  readonly #writing: Debouncer;
  readonly #backoff = new Backoff(pauses);
  #cancelRetry: Cancel = () => undefined;
  #revision: string | undefined;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #isReadPlanned = false;
  #watch: { stop(): void } | undefined;
  #isStopping = false;
  /** The reason why the store is not usable. It is logged once. */
  #trouble: string | undefined;

  constructor(document: SharedDocument, options: KeeperOptions) {
    this.#document = document;
    this.#options = options;
    const { quietMs } = document;
    const { clock } = options;
    const onError = (error: unknown) => {
      this.#failed(error);
      this.#cancelRetry();
      this.#cancelRetry = clock.after(this.#backoff.next(), () => this.#writing.trigger());
    };
    this.#writing = new Debouncer({ clock, quietMs, maxWaitMs: quietMs, onError, run: () => this.save() });
  }

  /** Reads the store before proxies connect. Never rejects. */
  async start(): Promise<void> {
    const { clock, store } = this.#options;
    const late = Promise.withResolvers<"late">();
    const cancel = clock.after(startMs, () => late.resolve("late"));
    try {
      const stored = await Promise.race([this.#answer(store.read()), late.promise]);
      if (stored === "late") throw new MeshError("timeout", `no answer within ${startMs / 1000} s`);
      await this.#take(stored, true);
    } catch (thrown) {
      this.#failed(thrown);
    }
    cancel();
    this.#document.onChanged(() => {
      if (!this.#isStopping) this.#writing.trigger();
    });
    this.#watch = store.watch(
      () => this.#readSoon(),
      (error) => this.#unusable(networkReason(error)),
    );
  }

  /** Writes the last changes at once. Nothing is written after it. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#watch?.stop();
    // A reading in progress may find something to write.
    await this.#lastTurn;
    this.#writing.flush();
    await this.#writing.idle();
    this.#cancelRetry();
    await this.#options.store.close?.();
  }

  /** Writes what has changed since the last look at the store. */
  async save(): Promise<void> {
    await this.#inTurn(() => this.#write());
    this.#backoff.reset();
  }

  #readSoon(): void {
    if (this.#isReadPlanned) return;
    this.#isReadPlanned = true;
    this.#inTurn(async () => {
      this.#isReadPlanned = false;
      await this.#take(await this.#answer(this.#options.store.read()), false);
    }).catch((thrown: unknown) => this.#failed(thrown));
  }

  /** Readings and writes run one after the other, so that an older reading never replaces a newer one. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    await turn;
  }

  async #take(stored: StoredDocument<string> | undefined, isFirst: boolean): Promise<void> {
    if (stored === undefined) {
      this.#revision = undefined;
      this.#document.lost();
      this.#writing.trigger();
      return;
    }
    if (stored.revision === this.#revision) return;
    this.#revision = stored.revision;
    await this.#document.follow(stored, isFirst);
  }

  async #write(): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const draft = await this.#document.draft();
      if (draft === undefined) return;
      const stored = await this.#answer(this.#options.store.replace(this.#revision, draft.text));
      if (stored.content === draft.text) {
        this.#revision = stored.revision;
        draft.written();
        return;
      }
      await this.#take(stored, false);
    }
    throw new MeshError("unavailable", `other replicas write ${this.#document.name} all the time`);
  }

  /** The answer of the store. Its failures become `unavailable`. */
  async #answer<T>(answer: Promise<T>): Promise<T> {
    try {
      const given = await answer;
      if (this.#trouble !== undefined) this.#options.logger.info({}, `store of ${this.#document.name} usable again`);
      this.#trouble = undefined;
      return given;
    } catch (thrown) {
      throw new MeshError("unavailable", networkReason(thrown), { cause: thrown });
    }
  }

  #failed(error: unknown): void {
    if (error instanceof MeshError) this.#unusable(error.message);
    else this.#options.onFailure(error);
  }

  #unusable(reason: string): void {
    if (reason !== this.#trouble) this.#options.logger.warn({ reason }, `store of ${this.#document.name} not usable`);
    this.#trouble = reason;
  }
}
