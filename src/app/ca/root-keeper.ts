import type { RootStore, StoredRoots } from "../../ca/root-store.ts";
import type { Authority, Roots } from "../../ca/roots.ts";
import {
  beginRotation,
  cancelRotation,
  duePhase,
  firstRoots,
  isCurrent,
  nextPhase,
  recordTtl,
  rotationDueAt,
  type RotationTimes,
  type Validity,
} from "../../ca/rotation.ts";
import { MeshError } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";

export interface RootKeeperOptions {
  readonly store: RootStore;
  readonly clock: SupervisedClock;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
  readonly times: RotationTimes;
  /** Makes an authority with a new key. Undefined if an operator provides the authorities. */
  readonly create: (() => Promise<Authority>) | undefined;
  /** The times of a certificate in PEM. */
  readonly validityOf: (certificate: string) => Validity;
  /** This replica has begun a rotation, for an operator or because the root is old. */
  readonly onRotation: (cause: RotationCause) => void;
  readonly onChange: (roots: Roots, before: Roots | undefined) => void;
  readonly onError: (error: unknown) => void;
}

/** An operator's command for the rotation. */
export type RotationCommand = "rotate" | "advance" | "cancel";

/** The reason why a rotation began. */
export type RotationCause = "command" | "expiry";

/** Roots, and the time of a clock before they were read. */
interface Known extends StoredRoots {
  readonly readAt: number;
}

/** A planned replacement, and the roots in the store afterwards. */
interface Step {
  readonly planned: Roots | undefined;
  readonly stored: Roots;
}

/** How often a life of certificates is recorded for one request, while other replicas change the roots. */
const recordAttempts = 3;

/** The store is read this often within the time for which a reading counts. */
const readsPerLag = 4;

/**
 * The roots that all replicas share: agrees on the first ones, follows the store, and takes due steps of a rotation. Every
 * replica may take a step, because the store accepts only one of two writers.
 */
export class RootKeeper {
  readonly #options: RootKeeperOptions;
  #known: Known | undefined;
  #watch: ReturnType<RootStore["watch"]> | undefined;
  #lastStep: Promise<unknown> = Promise.resolve();
  #isReadPlanned = false;
  #recording: Promise<unknown> | undefined;
  #rereading: Promise<unknown> | undefined;
  #cancelTimer: Cancel = () => undefined;
  #stopped = false;

  constructor(options: RootKeeperOptions) {
    this.#options = options;
  }

  /** Resolves when the roots are known. Rejects if the store can be neither read nor filled. */
  async start(): Promise<void> {
    const { store, create, times, timeOfDay } = this.#options;
    const readAt = this.#options.clock.now();
    let stored = await store.read();
    if (stored === undefined && create !== undefined) {
      stored = await store.replace(undefined, firstRoots(await create(), times, timeOfDay()));
    }
    if (stored === undefined)
      throw new MeshError("unavailable", "there is no root certificate, and only the operator may create it");
    this.#accept({ ...stored, readAt });
    // The first connection and a new key take time.
    await this.#step(() => undefined);
    this.#watch = store.watch(() => this.refresh(), this.#options.onError);
    this.#readLater();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#watch?.stop();
    this.#cancelTimer();
    await this.#lastStep;
    await this.#options.store.close?.();
  }

  /** The roots that were read last; undefined before the start. */
  get roots(): Roots | undefined {
    return this.#known?.content;
  }

  /** The roots to sign with. Undefined if the store was not readable for so long that another replica may sign otherwise. */
  get current(): Roots | undefined {
    const { times, clock } = this.#options;
    const known = this.#known;
    return known && isCurrent(known.readAt, times, clock.now()) ? known.content : undefined;
  }

  /**
   * The roots to sign a certificate of this life with. A longer life than all before is recorded first, because a
   * rotation waits for it. Reads the store again if the last reading is too old: a busy or suspended process reads late.
   * Undefined if the store cannot be read.
   */
  async rootsFor(ttlMs: number): Promise<Roots | undefined> {
    const { times } = this.#options;
    for (let attempt = 0; attempt < recordAttempts; attempt++) {
      const roots = this.current ?? (await this.#readAgain());
      if (roots === undefined || recordTtl(roots, ttlMs, times) === undefined) return roots;
      // Requests that come at once share one write.
      this.#recording ??= this.#step((read) => recordTtl(read, ttlMs, times)).finally(() => {
        this.#recording = undefined;
      });
      await this.#recording;
    }
    return undefined;
  }

  /** Requests that come at once share one reading. */
  async #readAgain(): Promise<Roots | undefined> {
    this.#rereading ??= this.#step(() => undefined)
      .catch(this.#options.onError)
      .finally(() => {
        this.#rereading = undefined;
      });
    await this.#rereading;
    return this.current;
  }

  /** Reads the store soon, because it may have changed. Takes the next step of a rotation if it is due. */
  refresh(): void {
    if (this.#isReadPlanned || this.#stopped) return;
    this.#isReadPlanned = true;
    this.#refresh().catch((thrown: unknown) => {
      this.#isReadPlanned = false;
      this.#options.onError(thrown);
    });
  }

  async #refresh(): Promise<void> {
    const { times, timeOfDay, create } = this.#options;
    const next = this.roots && this.#isRotationDue(this.roots) ? await create?.() : undefined;
    const { planned, stored } = await this.#step((roots) => {
      this.#isReadPlanned = false;
      const now = timeOfDay();
      if (next !== undefined && this.#isRotationDue(roots)) return beginRotation(roots, next, now);
      return duePhase(roots, times, now);
    });
    if (planned?.next !== undefined && isSame(planned, stored)) this.#options.onRotation("expiry");
  }

  /** Whether the root that we created is so old that a new one should replace it. */
  #isRotationDue(roots: Roots): boolean {
    const { create, times, timeOfDay, validityOf } = this.#options;
    const { certificate, root } = roots.signing;
    if (create === undefined || roots.phase !== "steady" || certificate !== root) return false;
    return timeOfDay() >= rotationDueAt(validityOf(root), roots, times);
  }

  /** Rejects with `bad-option` if the phase does not allow the command, and with `unavailable` if it may be tried again. */
  async carryOut(command: RotationCommand): Promise<Roots> {
    const { create, times, timeOfDay, onRotation } = this.#options;
    if (create === undefined) {
      throw new MeshError("bad-option", "an operator provides the roots: replace them at their source");
    }
    const authority = command === "rotate" ? await create() : undefined;
    const { planned, stored } = await this.#step((roots) => {
      const { certificate, root } = roots.signing;
      if (certificate !== root) {
        throw new MeshError("bad-option", "another authority signed ours: replace the intermediate certificate");
      }
      const now = timeOfDay();
      if (authority !== undefined) return beginRotation(roots, authority, now);
      return command === "cancel" ? cancelRotation(roots, now) : nextPhase(roots, times, now);
    });
    if (planned === undefined) throw new MeshError("bad-option", `cannot ${command} in phase ${stored.phase}`);
    if (!isSame(planned, stored)) throw new MeshError("unavailable", "another replica changed the roots: try again");
    if (authority !== undefined) onRotation("command");
    return stored;
  }

  /** Steps of this replica run one after the other, so that an older reading never replaces a newer one. */
  async #step(change: (roots: Roots) => Roots | undefined): Promise<Step> {
    const step = this.#lastStep.then(() => this.#readAndReplace(change));
    this.#lastStep = step.catch(() => undefined);
    return await step;
  }

  /** Replaces the roots soon after they were read: a phase may begin a limited time after its `phaseSince`. */
  async #readAndReplace(change: (roots: Roots) => Roots | undefined): Promise<Step> {
    const { store, clock, times } = this.#options;
    const readAt = clock.now();
    const before = (await store.read()) ?? (await this.#restored());
    this.#accept({ ...before, readAt });
    const planned = change(before.content);
    if (planned === undefined) return { planned, stored: before.content };
    if (!isCurrent(readAt, times, clock.now())) throw new MeshError("timeout", "the store of the roots is too slow");
    const after = await store.replace(before.revision, planned);
    this.#accept({ ...after, readAt });
    return { planned, stored: after.content };
  }

  /** Writes removed roots again. New roots would not verify the certificates in use. */
  async #restored(): Promise<StoredRoots> {
    const { store, onError } = this.#options;
    const roots = this.current ?? (await this.#readAgain());
    if (roots === undefined) throw new MeshError("unavailable", "the roots are no longer in their store");
    onError(new MeshError("unavailable", "the roots were removed from their store, and are written again"));
    return await store.replace(undefined, roots);
  }

  #accept(known: Known): void {
    const before = this.#known;
    this.#known = known;
    if (before?.revision !== known.revision) this.#options.onChange(known.content, before?.content);
  }

  #readLater(): void {
    const { clock, times } = this.#options;
    this.#cancelTimer = clock.after(times.lagMs / readsPerLag, () => {
      this.refresh();
      this.#readLater();
    });
  }
}

/** Whether a replica finds its own plan in the store, and not that of another one. */
function isSame(planned: Roots, stored: Roots): boolean {
  return planned.phase === stored.phase && planned.trusted.join() === stored.trusted.join();
}
