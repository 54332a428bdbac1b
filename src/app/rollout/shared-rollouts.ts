import type { StoredDocument } from "../../lib/document-store.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { SavedRollout } from "../../pilot/xds/rollout/staged-rollout.ts";
import type { StagedRollouts } from "../../pilot/xds/rollout/staged-rollouts.ts";
import {
  DocumentKeeper,
  type Draft,
  type KeeperOptions,
  type SharedDocument,
} from "../shared-document/document-keeper.ts";
import {
  decodeRollouts,
  encodeRollouts,
  restoredChange,
  type StoredRollout,
  storedRollout,
} from "./rollout-document.ts";

interface SharedRolloutsOptions {
  readonly rollouts: Pick<StagedRollouts, "rollouts" | "restore" | "adopt" | "finishedElsewhere" | "onChanged">;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
  readonly logger: Logger;
}

/** A ConfigMap holds 1 MiB. */
const maxBytes = 900_000;

/** Without the store, a restarted server gives proxies the new versions. */
export function keepRollouts(options: SharedRolloutsOptions & KeeperOptions): DocumentKeeper {
  return new DocumentKeeper(new SharedRollouts(options), options);
}

/**
 * The staged rollouts in a store, so that a restarted server goes on with them, and replicas agree. The newest state of a
 * rollout counts, and a halt that is not written yet always does. A rollout that another replica ended is ended here.
 */
export class SharedRollouts implements SharedDocument {
  readonly name = "rollouts";
  readonly quietMs = 5;
  readonly #options: SharedRolloutsOptions;
  /** The content of the store, as far as we know. */
  #text: string | undefined;
  /** The states that the store and this server agree about, by rollout. */
  #synced: ReadonlyMap<string, StoredRollout> = new Map();
  /** Rollouts of replicas whose objects have not arrived here. */
  #foreign: readonly StoredRollout[] = [];

  constructor(options: SharedRolloutsOptions) {
    this.#options = options;
  }

  onChanged(listener: () => void): void {
    this.#options.rollouts.onChanged(listener);
  }

  async follow({ content, revision }: StoredDocument<string>, isFirst: boolean): Promise<void> {
    const { rollouts, logger } = this.#options;
    this.#text = content;
    const stored = decodeRollouts(content);
    if (stored === undefined) logger.warn({ revision }, "stored rollouts ignored: the document was altered");
    if (isFirst) for (const each of stored ?? []) this.#restore(each);
    await this.#adoptAll(stored ?? []);
    const restored = rollouts.rollouts.map(({ change }) => change.id);
    if (isFirst && restored.length > 0) logger.info({ rollouts: restored }, "staged rollouts taken from the store");
  }

  lost(): void {
    this.#text = undefined;
  }

  async draft(): Promise<Draft | undefined> {
    const own = await this.#ownWithArrived();
    const all = [...own, ...this.#foreign];
    const text = encodeRollouts(all);
    if (text === this.#text || (all.length === 0 && this.#text === undefined)) return undefined;
    if (Buffer.byteLength(text) > maxBytes) {
      this.#options.logger.warn({ rollouts: own.length }, "staged rollouts not stored: they are too large");
      return undefined;
    }
    const written = () => {
      this.#text = text;
      this.#synced = new Map(own.map((each) => [each.id, each]));
    };
    return { text, written };
  }

  #restore(stored: StoredRollout): void {
    const change = restoredChange(stored);
    if (change !== undefined) this.#options.rollouts.restore(change);
  }

  async #adoptAll(stored: readonly StoredRollout[]): Promise<void> {
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
      if (!ids.has(id) && own.get(id)?.content === known.content) rollouts.finishedElsewhere(id);
    }
    this.#synced = next;
    this.#foreign = foreign;
  }

  /**
   * The rollouts of this server. One whose objects have just arrived goes on from the state in the store, so that a
   * paused or halted one stays so. From then on we say how it is, and when it ends.
   */
  async #ownWithArrived(): Promise<readonly StoredRollout[]> {
    const own = this.#own();
    for (const mine of own) {
      const stored = this.#foreign.find(({ id }) => id === mine.id);
      if (stored === undefined) continue;
      this.#foreign = this.#foreign.filter((each) => each !== stored);
      if (mine.content === stored.content && mine.phase !== "halted") {
        await this.#options.rollouts.adopt(this.#saved(stored));
        this.#synced = new Map([...this.#synced, [stored.id, stored]]);
      }
      return await this.#ownWithArrived();
    }
    return own;
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
}
