import type { StoredDocument } from "../../lib/document-store.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Quarantine } from "../../pilot/xds/quarantine/quarantine.ts";
import {
  DocumentKeeper,
  type Draft,
  type KeeperOptions,
  type SharedDocument,
} from "../shared-document/document-keeper.ts";
import { fittingRefusals } from "./document-room.ts";
import {
  type KnownRefusals,
  type Moment,
  refusalKey,
  restoredRefusal,
  storableRefusals,
} from "./refusal-conversion.ts";
import { decodeRefusals, encodeRefusals, type StoredRefusal } from "./refusal-document.ts";

interface SharedRefusalsOptions {
  readonly quarantine: Pick<Quarantine, "scopes" | "adopt" | "forget" | "onRefusalsChanged">;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
  readonly logger: Logger;
}

const nothing: KnownRefusals = new Map();

/** Without the store, proxies find the objects anew. */
export function keepRefusals(options: SharedRefusalsOptions & KeeperOptions): DocumentKeeper {
  return new DocumentKeeper(new SharedRefusals(options), options);
}

/**
 * The refusals of classes in a store, so that they survive a restart and replicas share them. A document that somebody
 * altered, or that cannot be read, is ignored: then proxies find the objects anew.
 */
export class SharedRefusals implements SharedDocument {
  readonly name = "refused objects";
  readonly quietMs = 100;
  readonly #options: SharedRefusalsOptions;
  /** The content of the store, as far as we know. */
  #stored = nothing;
  /** How many refusals had no room in the store when somebody wrote it last. */
  #leftOut = 0;
  /** Whether somebody else wrote the document. Our next change replaces it. */
  #isAltered = false;
  /** Our own refusals when we last looked at the store. The difference to them is what we have to write. */
  #synced = nothing;

  constructor(options: SharedRefusalsOptions) {
    this.#options = options;
  }

  onChanged(listener: () => void): void {
    this.#options.quarantine.onRefusalsChanged(listener);
  }

  /** Takes over the changes of others since we last looked. Our own changes, which are not written yet, stay. */
  async follow({ content, revision }: StoredDocument<string>): Promise<void> {
    const { quarantine, logger } = this.#options;
    const decoded = decodeRefusals(content);
    this.#isAltered = decoded === undefined;
    if (decoded === undefined) {
      logger.warn({ revision }, "stored refusals ignored: the document was altered");
      return this.#assumeEmpty();
    }
    const { refusals, leftOut } = decoded;
    const next: KnownRefusals = new Map(refusals.map((each) => [refusalKey(each), each]));
    const before = this.#stored;
    const own = this.#own();
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

  lost(): void {
    this.#isAltered = false;
    this.#assumeEmpty();
  }

  /** The store holds nothing that we can use. Our own refusals stay, and the next write has all of them. */
  #assumeEmpty(): void {
    this.#stored = nothing;
    this.#synced = nothing;
    this.#leftOut = 0;
  }

  draft(): Draft | undefined {
    const own = this.#own();
    const next = new Map(this.#stored);
    for (const [key] of this.#synced) if (!own.has(key)) next.delete(key);
    for (const [key, each] of own) if (!isSame(each, this.#synced.get(key))) next.set(key, each);
    const { kept, leftOut } = fittingRefusals(next);
    if (!this.#isAltered && areSame(kept, this.#stored) && leftOut > 0 === this.#leftOut > 0) {
      this.#synced = among(own, kept);
      return undefined;
    }
    const written = () => {
      const isNews = leftOut > this.#leftOut;
      if (isNews) this.#options.logger.warn({ leftOut }, "refused objects not stored: the store has no room");
      this.#isAltered = false;
      this.#stored = kept;
      this.#leftOut = leftOut;
      this.#synced = among(own, kept);
    };
    return { text: encodeRefusals(kept.values(), leftOut), written };
  }

  #own(): KnownRefusals {
    return storableRefusals(this.#options.quarantine.scopes, this.#stored, this.#moment());
  }

  #moment(): Moment {
    const { clock, timeOfDay } = this.#options;
    return { now: clock.now(), timeOfDay: timeOfDay() };
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
