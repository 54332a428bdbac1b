import type { Config, ConfigId } from "../../config/config.ts";
import type { Logger } from "../../lib/logger.ts";
import { MeshError } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { Debouncer } from "../../lib/time/debouncer.ts";
import type { AdoptedRefusal, Quarantine } from "../../pilot/xds/quarantine/quarantine.ts";
import type { RefusingScope } from "../../pilot/xds/quarantine/refusals.ts";
import { decodeRefusals, encodeRefusals, objectIn, type StoredRefusal, storedObject } from "./refusal-document.ts";
import type { StoredText, TextStore } from "./text-store.ts";

export interface RefusalKeeperOptions {
  readonly quarantine: Pick<Quarantine, "scopes" | "adopt" | "forget" | "onRefusalsChanged">;
  readonly store: TextStore;
  readonly clock: SupervisedClock;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
  readonly logger: Logger;
}

/** Refusals by class and object. */
type Known = ReadonlyMap<string, StoredRefusal>;

/** The server does not wait longer for a store at its start. */
const startMs = 5_000;
/** Changes within this time are written together. */
const quietMs = 100;
/** A ConfigMap holds 1 MiB. The oldest refusals are not stored beyond this. */
const maxBytes = 900_000;
/** How often a write is repeated because another replica was faster. */
const maxAttempts = 5;

/**
 * Keeps the refusals of classes in a store, so that they survive a restart and replicas share them. A document that
 * somebody altered, or that cannot be read, is ignored: then proxies find the objects anew.
 */
export class RefusalKeeper {
  readonly #options: RefusalKeeperOptions;
  readonly #writing: Debouncer;
  #revision: string | undefined;
  /** The content of the store, as far as we know. */
  #stored: Known = new Map();
  /** Our own refusals when we last looked at the store. The difference to them is what we have to write. */
  #synced: Known = new Map();
  #watch: { stop(): void } | undefined;

  constructor(options: RefusalKeeperOptions) {
    this.#options = options;
    const onError = (error: unknown) => this.#failed(error);
    const { clock } = options;
    this.#writing = new Debouncer({ clock, quietMs, maxWaitMs: quietMs, onError, run: () => this.save() });
  }

  /** Reads the store before proxies connect. Never rejects: without the store, proxies find the objects anew. */
  async start(): Promise<void> {
    const { clock, store, quarantine } = this.#options;
    const late = new Promise<"late">((resolve) => clock.after(startMs, () => resolve("late")));
    try {
      const stored = await Promise.race([store.read(), late]);
      if (stored === "late") this.#failed(new MeshError("timeout", `no answer within ${startMs / 1000} s`));
      else if (stored !== undefined) await this.#take(stored);
    } catch (thrown) {
      this.#failed(thrown);
    }
    quarantine.onRefusalsChanged(() => this.#writing.trigger());
    this.#watch = store.watch(
      (stored) => void this.#take(stored).catch((thrown: unknown) => this.#failed(thrown)),
      (error) => this.#failed(error),
    );
  }

  async stop(): Promise<void> {
    this.#watch?.stop();
    await this.#writing.idle();
    await this.#options.store.close?.();
  }

  /** Takes over the changes of others since we last looked. Our own changes, which are not written yet, stay. */
  async #take({ text, revision }: StoredText): Promise<void> {
    if (revision === this.#revision) return;
    const { quarantine, logger } = this.#options;
    const decoded = text === "" ? [] : decodeRefusals(text);
    if (decoded === undefined) logger.warn({ revision }, "stored refusals ignored: the document was altered");
    const next: Known = new Map((decoded ?? []).map((each) => [keyOf(each), each]));
    const before = this.#stored;
    const own = this.#own();
    this.#revision = revision;
    this.#stored = next;
    const changed = [...next].filter(([key, each]) => !isSame(each, before.get(key)) && !isSame(each, own.get(key)));
    const adopted = changed.flatMap(([, each]) => this.#restored(each));
    const gone = [...before].filter(([key, each]) => !next.has(key) && isSame(own.get(key), each));
    if (adopted.length > 0) {
      logger.info({ objects: adopted.map(({ id }) => id) }, "refused objects taken from the store");
      await quarantine.adopt(adopted);
    }
    for (const [, { classId, object }] of gone) await quarantine.forget(classId, object);
    // A refusal that we cannot use stays for other replicas: its object may not have arrived here yet.
    const now = this.#own();
    const synced = new Map(this.#synced);
    for (const key of [...changed, ...gone].map(([each]) => each)) {
      const mine = now.get(key);
      if (mine === undefined) synced.delete(key);
      else synced.set(key, mine);
    }
    this.#synced = synced;
  }

  /** Writes what has changed since the last look at the store. */
  async save(): Promise<void> {
    const { store } = this.#options;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const own = this.#own();
      const next = new Map(this.#stored);
      for (const [key] of this.#synced) if (!own.has(key)) next.delete(key);
      for (const [key, each] of own) if (!isSame(each, this.#synced.get(key))) next.set(key, each);
      if (areSame(next, this.#stored)) {
        this.#synced = own;
        return;
      }
      const text = bounded([...next.values()]);
      const stored = await store.replace(this.#revision, text);
      if (stored.text === text) {
        this.#revision = stored.revision;
        this.#stored = next;
        this.#synced = own;
        return;
      }
      await this.#take(stored);
    }
    throw new MeshError("unavailable", "other replicas write refusals all the time");
  }

  /** The refusals of classes, except those of Secrets. */
  #own(): Known {
    const { quarantine } = this.#options;
    const all = quarantine.scopes.flatMap((each) => this.#storable(each));
    return new Map(all.map((each) => [keyOf(each), each]));
  }

  #storable({ scope, refusals }: RefusingScope): readonly StoredRefusal[] {
    if (scope.node !== undefined) return [];
    const { clock, timeOfDay } = this.#options;
    const offset = Math.round(timeOfDay() - clock.now());
    return [...refusals.values()].flatMap((refusal): readonly StoredRefusal[] => {
      const { id, version, reason, rejected, since, node, confirmedBy, probes, instead } = refusal;
      const before = instead.type === "earlier version" ? instead.objects.get(id) : undefined;
      const accepted = before === undefined ? null : storedObject(before);
      // Without its accepted version a proxy would lose more than before the restart.
      if (accepted === undefined || id.startsWith("Secret/")) return [];
      const known = { reason, rejected, node, probes, version: version ?? null, confirmedBy: confirmedBy ?? null };
      const at = this.#stored.get(keyOf({ classId: scope.id, object: id }));
      const sinceTime = at?.version === known.version ? at.since : Math.round(since + offset);
      return [{ classId: scope.id, className: scope.name, object: id, ...known, since: sinceTime, accepted }];
    });
  }

  #restored(stored: StoredRefusal): readonly AdoptedRefusal[] {
    const { clock, timeOfDay } = this.#options;
    const { classId, className, object: id, version, confirmedBy, since, reason, rejected, node, probes } = stored;
    const accepted: Config | undefined = stored.accepted === null ? undefined : objectIn(stored.accepted, id);
    if (stored.accepted !== null && accepted === undefined) return [];
    const scope = { id: classId, name: className, classId, node: undefined };
    const ago = Math.max(0, timeOfDay() - since);
    const facts = { reason, rejected, node, probes, since: clock.now() - ago };
    return [{ ...facts, scope, id, accepted, version: version ?? undefined, confirmedBy: confirmedBy ?? undefined }];
  }

  #failed(error: unknown): void {
    this.#options.logger.warn({ reason: MeshError.from(error).message }, "store of refused objects not usable");
  }
}

function keyOf({ classId, object }: { readonly classId: string; readonly object: ConfigId }): string {
  return JSON.stringify([classId, object]);
}

function isSame(one: StoredRefusal | undefined, other: StoredRefusal | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function areSame(one: Known, other: Known): boolean {
  return one.size === other.size && [...one].every(([key, each]) => isSame(each, other.get(key)));
}

/** The newest refusals that have room. */
function bounded(refusals: readonly StoredRefusal[]): string {
  const newest = refusals.toSorted((a, b) => b.since - a.since);
  for (let count = newest.length; ; count = Math.floor(count / 2)) {
    const text = encodeRefusals(newest.slice(0, count));
    if (count === 0 || Buffer.byteLength(text) <= maxBytes) return text;
  }
}
