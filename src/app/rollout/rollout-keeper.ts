import type { DocumentStore, StoredDocument } from "../../lib/document-store.ts";
import { MeshError, networkReason } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ReportFailure, SupervisedClock } from "../../lib/supervisor.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import { Debouncer } from "../../lib/time/debouncer.ts";
import type { SavedRollout } from "../../pilot/xds/rollout/staged-rollout.ts";
import type { StagedRollouts } from "../../pilot/xds/rollout/staged-rollouts.ts";
import {
  decodeRollouts,
  encodeRollouts,
  restoredChange,
  type StoredRollout,
  storedRollout,
} from "./rollout-document.ts";

export interface RolloutKeeperOptions {
  readonly rollouts: Pick<StagedRollouts, "rollouts" | "restore" | "adopt" | "command" | "onChanged">;
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
const quietMs = 5;
/** A failed write is tried again after these pauses. */
const pauses = { firstMs: 1_000, lastMs: 30_000 };
/** A ConfigMap holds 1 MiB. */
const maxBytes = 900_000;
/** How often a write is repeated because another replica was faster. */
const maxAttempts = 5;

/**
 * Keeps staged rollouts in a store, so that a restarted server goes on with them, and replicas agree. The newest state of
 * a rollout counts, and a halt that is not written yet always does. A rollout that another replica ended is ended here.
 */
export class RolloutKeeper {
  readonly #options: RolloutKeeperOptions;
  readonly #writing: Debouncer;
  readonly #backoff = new Backoff(pauses);
  #cancelRetry: Cancel = () => undefined;
  #revision: string | undefined;
  /** The content of the store, as far as we know. */
  #text: string | undefined;
  /** The states that the store and this server agree about, by rollout. */
  #synced: ReadonlyMap<string, StoredRollout> = new Map();
  /** Rollouts of replicas whose objects have not arrived here. */
  #foreign: readonly StoredRollout[] = [];
  #lastTurn: Promise<unknown> = Promise.resolve();
  #watch: { stop(): void } | undefined;
  #isStopping = false;
  /** The reason why the store is not usable. It is logged once. */
  #trouble: string | undefined;

  constructor(options: RolloutKeeperOptions) {
    this.#options = options;
    const { clock } = options;
    const onError = (error: unknown) => {
      this.#failed(error);
      this.#cancelRetry();
      this.#cancelRetry = clock.after(this.#backoff.next(), () => this.#writing.trigger());
    };
    this.#writing = new Debouncer({ clock, quietMs, maxWaitMs: quietMs, onError, run: () => this.save() });
  }

  /** Reads the store before proxies connect. Never rejects: without the store, proxies get the new versions. */
  async start(): Promise<void> {
    const { clock, store, rollouts } = this.#options;
    const late = Promise.withResolvers<"late">();
    const cancel = clock.after(startMs, () => late.resolve("late"));
    try {
      const stored = await Promise.race([this.#answer(store.read()), late.promise]);
      if (stored === "late") throw new MeshError("timeout", `no answer within ${startMs / 1000} s`);
      if (stored !== undefined) await this.#restore(stored);
    } catch (thrown) {
      this.#failed(thrown);
    }
    cancel();
    rollouts.onChanged(() => {
      if (!this.#isStopping) this.#writing.trigger();
    });
    this.#watch = store.watch(
      () => void this.#inTurn(() => this.#read()).catch((thrown: unknown) => this.#failed(thrown)),
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

  /** Readings and writes run one after the other, so that an older reading never replaces a newer one. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    await turn;
  }

  async #restore({ content, revision }: StoredDocument<string>): Promise<void> {
    const { rollouts, logger } = this.#options;
    const stored = this.#decoded(content, revision);
    for (const each of stored) {
      const change = restoredChange(each);
      if (change !== undefined) rollouts.restore(change);
    }
    await this.#follow(stored);
    const restored = rollouts.rollouts.map(({ change }) => change.id);
    if (restored.length > 0) logger.info({ rollouts: restored }, "staged rollouts taken from the store");
  }

  async #read(): Promise<void> {
    const stored = await this.#answer(this.#options.store.read());
    if (stored !== undefined) return await this.#take(stored);
    // Somebody deleted the document, and the other replicas still need it.
    if (this.#text === undefined) return;
    this.#text = undefined;
    this.#revision = undefined;
    this.#writing.trigger();
  }

  /** Takes over the changes of others since we last looked. */
  async #take({ content, revision }: StoredDocument<string>): Promise<void> {
    if (revision !== this.#revision) await this.#follow(this.#decoded(content, revision));
  }

  #decoded(content: string, revision: string): readonly StoredRollout[] {
    this.#revision = revision;
    this.#text = content;
    const decoded = decodeRollouts(content);
    if (decoded === undefined) {
      this.#options.logger.warn({ revision }, "stored rollouts ignored: the document was altered");
      this.#writing.trigger();
    }
    return decoded ?? [];
  }

  async #follow(stored: readonly StoredRollout[]): Promise<void> {
    const { rollouts } = this.#options;
    const before = this.#synced;
    const own = new Map(this.#own().map((each) => [each.id, each]));
    const next = new Map<string, StoredRollout>();
    const foreign: StoredRollout[] = [];
    for (const each of stored) {
      const mine = own.get(each.id);
      if (mine === undefined || mine.content !== each.content) {
        // We ended it, or our source is ahead of the one of the replica.
        if (mine === undefined && !before.has(each.id)) foreign.push(each);
        continue;
      }
      const known = before.get(each.id);
      const isUnwritten = mine.phase === "halted" && (known === undefined || known.phase !== "halted");
      // At the first sight the store knows more than we do.
      if (isUnwritten || (known !== undefined && each.since < mine.since)) continue;
      await rollouts.adopt(this.#saved(each));
      next.set(each.id, each);
    }
    const ids = new Set(stored.map(({ id }) => id));
    for (const [id, known] of before) {
      if (!ids.has(id) && own.get(id)?.content === known.content) rollouts.command("promote", id);
    }
    this.#synced = next;
    this.#foreign = foreign;
  }

  async #write(): Promise<void> {
    const { store, logger } = this.#options;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const own = this.#own();
      const text = encodeRollouts([...own, ...this.#foreign.filter(({ id }) => own.every((each) => each.id !== id))]);
      if (Buffer.byteLength(text) > maxBytes) {
        logger.warn({ rollouts: own.length }, "staged rollouts not stored: they are too large");
        return;
      }
      if (text === this.#text) return;
      const stored = await this.#answer(store.replace(this.#revision, text));
      if (stored.content === text) {
        this.#revision = stored.revision;
        this.#text = text;
        this.#synced = new Map(own.map((each) => [each.id, each]));
        return;
      }
      await this.#take(stored);
    }
    throw new MeshError("unavailable", "other replicas write rollouts all the time");
  }

  #own(): readonly StoredRollout[] {
    return this.#options.rollouts.rollouts.map((each) => storedRollout(each, this.#shift()));
  }

  #saved({ since, startedAt, events, chosen, ...rest }: StoredRollout): SavedRollout {
    const shift = this.#shift();
    const moved = events.map((event) => ({ ...event, at: event.at - shift }));
    const times = { since: since - shift, startedAt: startedAt - shift, events: moved };
    return { ...rest, ...times, chosen: new Set(chosen) };
  }

  /** From the clock's time to the time since 1970. */
  #shift(): number {
    const { clock, timeOfDay } = this.#options;
    return Math.round(timeOfDay() - clock.now());
  }

  /** The answer of the store. Its failures become `unavailable`. */
  async #answer<T>(answer: Promise<T>): Promise<T> {
    try {
      const given = await answer;
      if (this.#trouble !== undefined) this.#options.logger.info({}, "store of rollouts usable again");
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
    if (reason !== this.#trouble) this.#options.logger.warn({ reason }, "store of rollouts not usable");
    this.#trouble = reason;
  }
}
