import type { ConfigId, Origin } from "../config/config.ts";
import type { Cancel, Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { type Conflict, mergeConflicts } from "../pilot/model/conflict.ts";

export interface ConflictWatchOptions {
  readonly clock: Clock;
  /** Lets others have their turn; awaited between steps. */
  readonly turn: () => Promise<void>;
  /** What there is to look at: while all of it is the same, there is nothing new to see. */
  readonly subject: () => readonly unknown[];
  /** Of all proxies, in steps. */
  readonly look: () => Iterable<readonly Conflict[]>;
  readonly originOf: (id: ConfigId) => Origin | undefined;
  readonly logger: Logger;
}

const everyMs = 10_000;

/**
 * Looks for conflicts now and then, when the mesh or its proxies are others than before: that takes a while, and no
 * push is to wait for it. Each conflict is logged when it comes and when it goes.
 */
export class ConflictWatch {
  readonly #options: ConflictWatchOptions;
  #known: ReadonlyMap<string, Conflict> = new Map();
  #subject: readonly unknown[] = [];
  #cancel: Cancel | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: ConflictWatchOptions) {
    this.#options = options;
  }

  /** As they were when it looked last. */
  get conflicts(): readonly Conflict[] {
    return [...this.#known.values()];
  }

  start(): void {
    this.#cancel = this.#options.clock.after(everyMs, () => {
      this.#looking = this.#lookAndGoOn();
    });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#looking;
  }

  async look(): Promise<void> {
    const { subject, look, turn } = this.#options;
    const now = subject();
    if (now.length === this.#subject.length && now.every((part, index) => part === this.#subject[index])) return;
    const found: Conflict[] = [];
    for (const step of look()) {
      found.push(...step);
      await turn();
    }
    this.#subject = now;
    this.#tell(new Map(mergeConflicts(found).map((conflict) => [JSON.stringify(conflict), conflict])));
  }

  async #lookAndGoOn(): Promise<void> {
    await this.look();
    if (this.#cancel !== undefined) this.start();
  }

  #tell(now: ReadonlyMap<string, Conflict>): void {
    const { logger } = this.#options;
    for (const [id, conflict] of now) if (!this.#known.has(id)) logger.warn(this.#fieldsOf(conflict), "conflict");
    for (const [id, conflict] of this.#known) {
      if (!now.has(id)) logger.info(this.#fieldsOf(conflict), "conflict resolved");
    }
    this.#known = now;
  }

  #fieldsOf({ winner, losers, ...conflict }: Conflict) {
    const placed = (id: ConfigId) => `${id} (${this.#options.originOf(id)?.reference ?? "gone"})`;
    return { ...conflict, winner: winner === undefined ? undefined : placed(winner), losers: losers.map(placed) };
  }
}
