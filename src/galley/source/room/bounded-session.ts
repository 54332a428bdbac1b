import type { Config } from "../../../config/config.ts";
import { errorFrom } from "../../../lib/errors.ts";
import { Backoff } from "../../../lib/time/backoff.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { Freshness } from "../freshness.ts";
import type { Source, SourceEvent, SourceHandler } from "../source.ts";
import type { Ledger } from "./ledger.ts";

export interface BoundedSourceOptions {
  readonly clock: Clock;
  readonly ledger: Ledger;
}

/** How often a source looks for room while objects are left out. */
const pollMs = 1_000;
/** A changed number of objects is reported after this many polls: each report is a line of the log. */
const pollsPerReport = 10;
/** Pauses between attempts to take in the rest. Most sources read everything again for it. */
const retryMs = { firstMs: 5_000, lastMs: 300_000 };

/** The run of a {@link BoundedSource} from its start to its stop. */
export class BoundedSession {
  readonly started: Promise<void>;
  readonly #source: Source;
  readonly #options: BoundedSourceOptions;
  readonly #handler: SourceHandler;
  readonly #freshness = new Freshness();
  readonly #pauses = new Backoff(retryMs);
  #retryAt: number;
  #retried = Promise.resolve();
  #open = true;
  /** Why the source itself cannot follow its origin. */
  #originReason: string | undefined;
  /** Why the source was stopped: an object that may not be left out does not fit. */
  #haltReason: string | undefined;
  /** The number of objects left out, as last reported. */
  #reported = 0;
  #polls = 0;
  #cancelPoll: Cancel | undefined;

  constructor(source: Source, options: BoundedSourceOptions, handler: SourceHandler) {
    this.#source = source;
    this.#options = options;
    this.#handler = handler;
    this.#retryAt = options.clock.now() + this.#pauses.next();
    this.started = this.#begin();
  }

  /** Resolves when no attempt to take in the rest is under way. */
  get retried(): Promise<void> {
    return this.#retried;
  }

  async close(): Promise<void> {
    this.#open = false;
    this.#cancelPoll?.();
    await this.#retried;
  }

  #begin(): Promise<void> {
    this.#haltReason = undefined;
    this.#options.ledger.reset(this.#source.collections);
    return this.#source.start((events) => this.#hear(events));
  }

  #hear(events: readonly SourceEvent[]): void {
    if (!this.#open || this.#haltReason !== undefined) return;
    const passed: SourceEvent[] = [];
    for (const event of events) {
      const isPassed = this.#pass(event);
      if (isPassed === "halt") return;
      if (isPassed) passed.push(event);
    }
    const { leftOut, isReplaying } = this.#options.ledger;
    const isNews = !isReplaying && leftOut > 0 !== this.#reported > 0;
    const all = [...passed, ...this.#report({ counts: isNews })];
    if (all.length > 0) this.#handler(all);
    if (leftOut > 0) this.#poll();
  }

  /** Whether the event reaches the mesh. */
  #pass(event: SourceEvent): boolean | "halt" {
    const { ledger } = this.#options;
    switch (event.type) {
      case "upserted":
        return this.#admit(event);
      case "deleted":
        return ledger.delete(event.collection, event.key);
      case "reset":
        ledger.reset(this.#source.collections);
        break;
      case "fullSync":
        ledger.synced(event.collection);
        break;
      case "stale":
        this.#originReason = event.reason;
        return false;
      case "fresh":
        this.#originReason = undefined;
        return false;
      case "overdue":
      case "issues":
        break;
    }
    return true;
  }

  #admit({ collection, config }: Extract<SourceEvent, { type: "upserted" }>): boolean | "halt" {
    const verdict = this.#options.ledger.upsert(collection, config);
    if (verdict !== "overfull") return verdict === "taken";
    this.#halt(overfullReason(config));
    return "halt";
  }

  /** The last state stays, as if the origin were out of reach: without a policy others could get access. */
  #halt(reason: string): void {
    this.#haltReason = reason;
    this.#handler(this.#report({ counts: true }));
    this.#retried = this.#source.stop();
    this.#poll();
  }

  /** `counts`: whether the number of objects is news. */
  #report({ counts }: { readonly counts: boolean }): readonly SourceEvent[] {
    if (counts) this.#reported = this.#options.ledger.leftOut;
    const left = this.#reported === 0 ? undefined : leftOutReason(this.#reported);
    const reasons = [this.#originReason, this.#haltReason, left].filter((reason) => reason !== undefined);
    return reasons.length === 0 ? this.#freshness.fresh() : this.#freshness.stale(reasons.join("; "));
  }

  #poll(): void {
    this.#cancelPoll ??= this.#options.clock.after(pollMs, () => {
      this.#cancelPoll = undefined;
      this.#polls += 1;
      const { ledger, clock } = this.#options;
      const isOver = ledger.leftOut === 0 && this.#haltReason === undefined;
      const events = this.#report({ counts: isOver || this.#polls % pollsPerReport === 0 });
      if (events.length > 0) this.#handler(events);
      if (isOver) {
        this.#pauses.reset();
        return;
      }
      if ((ledger.hasRoom() || this.#haltReason !== undefined) && clock.now() >= this.#retryAt) this.#retry();
      this.#poll();
    });
  }

  /** Reads the rest, or everything where the objects that were left out are not known any more. */
  #retry(): void {
    const { ledger, clock } = this.#options;
    this.#retryAt = clock.now() + this.#pauses.next();
    const isStopped = this.#haltReason !== undefined;
    const again = isStopped || ledger.refused > 0 ? () => this.#restart() : async () => this.#source.reload?.();
    this.#retried = this.#retried.then(again).catch((thrown: unknown) => this.#halt(errorFrom(thrown).message));
  }

  /** The objects stay in use until the source has reported all of them again. */
  async #restart(): Promise<void> {
    await this.#source.stop();
    if (!this.#open) return;
    this.#handler([{ type: "reset" }]);
    await this.#begin();
  }
}

function leftOutReason(objects: number): string {
  const those = objects === 1 ? "1 object is" : `${objects} objects are`;
  return `${those} left out, because new objects do not fit into memory; raise its limit, or remove objects`;
}

function overfullReason({ kind, namespace, name }: Config): string {
  return `not followed, because ${kind} ${namespace}/${name} does not fit into memory and may not be left out`;
}
