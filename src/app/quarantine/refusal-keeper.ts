import type { DocumentStore, StoredDocument } from "../../lib/document-store.ts";
import { MeshError, networkReason } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ReportFailure, SupervisedClock } from "../../lib/supervisor.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import { Debouncer } from "../../lib/time/debouncer.ts";
import type { Quarantine } from "../../pilot/xds/quarantine/quarantine.ts";
import { fittingRefusals } from "./document-room.ts";
import {
  type KnownRefusals,
  type Moment,
  refusalKey,
  restoredRefusal,
  storableRefusals,
} from "./refusal-conversion.ts";
import { decodeRefusals, encodeRefusals, type StoredRefusal } from "./refusal-document.ts";

export interface RefusalKeeperOptions {
  readonly quarantine: Pick<Quarantine, "scopes" | "adopt" | "forget" | "onRefusalsChanged">;
  readonly store: DocumentStore<string>;
  readonly clock: SupervisedClock;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
  readonly logger: Logger;
  /** Gets the failures that are not those of the store. */
  readonly onFailure: ReportFailure;
}

/** The server does not wait longer for a store at its start. */
const startMs = 5_000;
/** Changes within this time are written together. */
const quietMs = 100;
/** A failed write is tried again after these pauses. */
const pauses = { firstMs: 1_000, lastMs: 30_000 };
/** How often a write is repeated because another replica was faster. */
const maxAttempts = 5;
const nothing: KnownRefusals = new Map();

/**
 * Keeps the refusals of classes in a store, so that they survive a restart and replicas share them. A document that
 * somebody altered, or that cannot be read, is ignored: then proxies find the objects anew.
 */
export class RefusalKeeper {
  readonly #options: RefusalKeeperOptions;
  readonly #writing: Debouncer;
  readonly #backoff = new Backoff(pauses);
  #cancelRetry: Cancel = () => undefined;
  #revision: string | undefined;
  /** The content of the store, as far as we know. */
  #stored = nothing;
  /** How many refusals had no room in the store when somebody wrote it last. */
  #leftOut = 0;
  /** Whether somebody else wrote the document. Our next change replaces it. */
  #isAltered = false;
  /** Our own refusals when we last looked at the store. The difference to them is what we have to write. */
  #synced = nothing;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #isReadPlanned = false;
  #watch: { stop(): void } | undefined;
  #isStopping = false;
  /** The reason why the store is not usable. It is logged once. */
  #trouble: string | undefined;

  constructor(options: RefusalKeeperOptions) {
    this.#options = options;
    const { clock } = options;
    const onError = (error: unknown) => {
      this.#failed(error);
      this.#cancelRetry();
      this.#cancelRetry = clock.after(this.#backoff.next(), () => this.#writing.trigger());
    };
    this.#writing = new Debouncer({ clock, quietMs, maxWaitMs: quietMs, onError, run: () => this.save() });
  }

  /** Reads the store before proxies connect. Never rejects: without the store, proxies find the objects anew. */
  async start(): Promise<void> {
    const { clock, store, quarantine } = this.#options;
    const late = Promise.withResolvers<"late">();
    const cancel = clock.after(startMs, () => late.resolve("late"));
    try {
      const stored = await Promise.race([this.#answer(store.read()), late.promise]);
      if (stored === "late") throw new MeshError("timeout", `no answer within ${startMs / 1000} s`);
      await this.#take(stored);
    } catch (thrown) {
      this.#failed(thrown);
    }
    cancel();
    quarantine.onRefusalsChanged(() => {
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
      await this.#take(await this.#answer(this.#options.store.read()));
    }).catch((thrown: unknown) => this.#failed(thrown));
  }

  /** Readings and writes run one after the other, so that an older reading never replaces a newer one. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    await turn;
  }

  /** Takes over the changes of others since we last looked. Our own changes, which are not written yet, stay. */
  async #take(stored: StoredDocument<string> | undefined): Promise<void> {
    const { quarantine, logger } = this.#options;
    // Somebody deleted the document, and the other replicas still need it.
    if (stored === undefined) {
      this.#isAltered = false;
      this.#assumeEmpty(undefined);
      this.#writing.trigger();
      return;
    }
    const { content, revision } = stored;
    if (revision === this.#revision) return;
    const decoded = decodeRefusals(content);
    this.#isAltered = decoded === undefined;
    if (decoded === undefined) {
      logger.warn({ revision }, "stored refusals ignored: the document was altered");
      return this.#assumeEmpty(revision);
    }
    const { refusals, leftOut } = decoded;
    const next: KnownRefusals = new Map(refusals.map((each) => [refusalKey(each), each]));
    const before = this.#stored;
    const own = this.#own();
    this.#revision = revision;
    this.#stored = next;
    this.#leftOut = leftOut;
    const changed = [...next].filter(([key, each]) => !isSame(each, before.get(key)) && !isSame(each, own.get(key)));
    const missing = [...before].filter(([key, each]) => !next.has(key) && isSame(own.get(key), each));
    // A refusal without room has not ended. We store it again when there is room.
    const gone = leftOut === 0 ? missing : [];
    const moment = this.#moment();
    const adopted = changed.flatMap(([, each]) => restoredRefusal(each, moment) ?? []);
    if (adopted.length > 0) {
      logger.info({ objects: adopted.map(({ id }) => id) }, "refused objects taken from the store");
      await quarantine.adopt(adopted);
    }
    for (const [, { classId, object }] of gone) await quarantine.forget(classId, object);
    this.#noteSynced([...changed, ...gone].map(([key]) => key));
  }

  /** A refusal that we cannot use stays for other replicas: its object may not have arrived here yet. */
  #noteSynced(keys: readonly string[]): void {
    const own = this.#own();
    const synced = new Map(this.#synced);
    for (const key of keys) {
      const mine = own.get(key);
      if (mine === undefined) synced.delete(key);
      else synced.set(key, mine);
    }
    this.#synced = synced;
  }

  /** The store holds nothing that we can use. Our own refusals stay, and the next write has all of them. */
  #assumeEmpty(revision: string | undefined): void {
    this.#revision = revision;
    this.#stored = nothing;
    this.#synced = nothing;
    this.#leftOut = 0;
  }

  async #write(): Promise<void> {
    const { store, logger } = this.#options;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const own = this.#own();
      const next = new Map(this.#stored);
      for (const [key] of this.#synced) if (!own.has(key)) next.delete(key);
      for (const [key, each] of own) if (!isSame(each, this.#synced.get(key))) next.set(key, each);
      const { kept, leftOut } = fittingRefusals(next);
      if (!this.#isAltered && areSame(kept, this.#stored) && leftOut > 0 === this.#leftOut > 0) {
        this.#synced = among(own, kept);
        return;
      }
      const text = encodeRefusals(kept.values(), leftOut);
      const stored = await this.#answer(store.replace(this.#revision, text));
      if (stored.content === text) {
        if (leftOut > this.#leftOut) logger.warn({ leftOut }, "refused objects not stored: the store has no room");
        this.#isAltered = false;
        this.#revision = stored.revision;
        this.#stored = kept;
        this.#leftOut = leftOut;
        this.#synced = among(own, kept);
        return;
      }
      await this.#take(stored);
    }
    throw new MeshError("unavailable", "other replicas write refusals all the time");
  }

  #own(): KnownRefusals {
    return storableRefusals(this.#options.quarantine.scopes, this.#stored, this.#moment());
  }

  #moment(): Moment {
    const { clock, timeOfDay } = this.#options;
    return { now: clock.now(), timeOfDay: timeOfDay() };
  }

  /** The answer of the store. Its failures become `unavailable`. */
  async #answer<T>(answer: Promise<T>): Promise<T> {
    try {
      const given = await answer;
      if (this.#trouble !== undefined) this.#options.logger.info({}, "store of refused objects usable again");
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
    if (reason !== this.#trouble) this.#options.logger.warn({ reason }, "store of refused objects not usable");
    this.#trouble = reason;
  }
}

function isSame(one: StoredRefusal | undefined, other: StoredRefusal | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function areSame(one: KnownRefusals, other: KnownRefusals): boolean {
  return one.size === other.size && [...one].every(([key, each]) => isSame(each, other.get(key)));
}

/** Those that the others have, too. */
function among(refusals: KnownRefusals, others: KnownRefusals): KnownRefusals {
  return new Map([...refusals].filter(([key]) => others.has(key)));
}
