import { isOverLimit } from "../../../etcd/etcd-error.ts";
import { etcdLimits } from "../../../etcd/etcd-limits.ts";
import type { EtcdChange, EtcdPosition } from "../../../etcd/etcd-values.ts";
import type { EtcdWatch, WatchStep } from "../../../etcd/etcd-watch.ts";
import { append } from "../../../lib/append.ts";
import { overLimit } from "../../../lib/bounded/limit.ts";
import { MeshError } from "../../../lib/errors.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { EmptyGuard } from "../empty-guard.ts";
import { Freshness } from "../freshness.ts";
import type { SourceEvent, SourceHandler } from "../source.ts";
import type { EtcdContent } from "./etcd-content.ts";
import type { EtcdMember } from "./etcd-member.ts";
import { Heartbeat } from "./heartbeat.ts";
import { RevisionWaiters } from "./revision-waiters.ts";

export interface EtcdFollowerOptions {
  readonly content: EtcdContent;
  readonly clock: Clock;
  /** The interval of liveness checks on a member, and the time limit of one check. */
  readonly heartbeatMs: number;
  /** The most keys that the source holds. */
  readonly maxKeys?: number;
  readonly handler: SourceHandler;
  /** The events that end the first full state. */
  readonly syncs: readonly SourceEvent[];
}

/**
 * Follows a store across connections: its position outlives the member that reported it. Without a position, or after a
 * compaction, it reads everything and reports the differences. Otherwise it resumes at its position. The changes of one
 * transaction are in one list of events.
 */
export class EtcdFollower {
  readonly #options: EtcdFollowerOptions;
  readonly #waiters: RevisionWaiters;
  readonly #freshness = new Freshness();
  readonly #guard: EmptyGuard;
  /** Everything up to this position has been reported. */
  #position: EtcdPosition | undefined;
  /** Events that are read but not reported yet. A full read has pages, and some of the pages are no valid state. */
  #untold: SourceEvent[] = [];
  #watch: EtcdWatch | undefined;
  #synced = false;
  #following = false;

  constructor(options: EtcdFollowerOptions) {
    this.#options = options;
    this.#guard = new EmptyGuard(options.clock);
    this.#waiters = new RevisionWaiters({ clock: options.clock, ask: () => this.#watch?.askProgress() });
  }

  /** Whether the reported state equals the store, except for changes in transit. */
  get following(): boolean {
    return this.#following;
  }

  /** Follows one member until it fails, then throws. Reports nothing after `signal` aborts. */
  async follow(member: EtcdMember, signal: AbortSignal): Promise<never> {
    if (!(await this.#knows(member))) this.#position = undefined;
    for (;;) {
      this.#position ??= await this.#readAll(member, signal);
      try {
        await this.#goOn(member, this.#position, signal);
      } catch (thrown) {
        // A message or a set of changes over the limit may fit by now. A full read uses pages.
        if (isOverLimit(thrown)) this.#position = undefined;
        throw thrown;
      }
      this.#position = undefined;
    }
  }

  /** From now on the reported state may be out of date. */
  lost(reason: string): void {
    this.#following = false;
    this.#waiters.giveUp();
    // Drops unreported events, because they are an incomplete state.
    const events = this.#freshness.stale(reason);
    if (events.length > 0) this.#options.handler(events);
  }

  /** Resolves when the current content of the store has been reported, or when following the member ends. */
  async catchUp(member: EtcdMember): Promise<void> {
    const { revision } = await member.position();
    await this.#waiters.reach(revision);
  }

  /**
   * Whether the store still has the object that was written last. A store that was restored from a backup may have the
   * same id and, after some writes, a later revision than the reported one.
   */
  async #knows(member: EtcdMember): Promise<boolean> {
    const { content } = this.#options;
    if (this.#position === undefined || content.newest === undefined) return false;
    const entry = await member.read(content.newest, this.#position.revision);
    return entry !== undefined && content.has(entry);
  }

  async #readAll(member: EtcdMember, signal: AbortSignal): Promise<EtcdPosition> {
    const { content, syncs } = this.#options;
    const seen = new Set<string>();
    let position: EtcdPosition = { cluster: "", revision: 0 };
    for await (const page of member.pages()) {
      signal.throwIfAborted();
      ({ position } = page);
      for (const entry of page.entries) {
        seen.add(entry.key);
        append(this.#untold, content.put(entry));
      }
    }
    signal.throwIfAborted();
    this.#guard.check("the store", content.size, seen.size);
    append(this.#untold, content.retain(seen));
    if (!this.#synced) append(this.#untold, syncs);
    this.#synced = true;
    this.#follows();
    this.#waiters.passed(position.revision);
    return position;
  }

  /** Returns when the store cannot resume from this position. */
  async #goOn(member: EtcdMember, from: EtcdPosition, signal: AbortSignal): Promise<void> {
    const { clock, heartbeatMs: everyMs } = this.#options;
    using watch = await member.watch(from.revision + 1);
    const onFailure = (reason: Error) => watch.fail(reason);
    using _heartbeat = new Heartbeat({ clock, everyMs, check: () => this.catchUp(member), onFailure });
    using _abort = onAbort(signal, () => watch.fail(new MeshError("cancelled", "the watch was cancelled")));
    this.#watch = watch;
    for await (const step of watch) {
      signal.throwIfAborted();
      if (step.type === "compacted") return;
      if (step.type !== "created") this.#advance(step, from.cluster);
      else if (leadsOn(from, step.position)) void this.#refresh(step.position, signal);
      else return;
    }
  }

  #advance(step: Extract<WatchStep, { type: "changes" | "progress" }>, cluster: string): void {
    if (step.type === "changes") this.#bound(step.changes);
    if (step.type === "changes") this.#emit(this.#options.content.apply(step.changes));
    const revision = step.type === "changes" ? (step.changes.at(-1)?.revision ?? 0) : step.revision;
    this.#position = { cluster, revision };
    this.#waiters.passed(revision);
  }

  /** Throws before any of the changes is applied. */
  #bound(changes: readonly EtcdChange[]): void {
    const { content, maxKeys = etcdLimits.keys.most } = this.#options;
    const keys = content.keysAfter(changes);
    if (keys > maxKeys) throw overLimit("the content of etcd below the prefix", maxKeys, "keys", keys);
  }

  /**
   * Reports `fresh` once the watch reaches the position that the store had when the watch started. Missed changes have
   * been reported by then.
   */
  async #refresh({ revision }: EtcdPosition, signal: AbortSignal): Promise<void> {
    if ((await this.#waiters.reach(revision)) && !signal.aborted) this.#follows();
  }

  #follows(): void {
    this.#following = true;
    this.#emit(this.#freshness.fresh());
  }

  #emit(more: readonly SourceEvent[]): void {
    const events = [...this.#untold, ...more];
    this.#untold = [];
    if (events.length > 0) this.#options.handler(events);
  }
}

/** A different store, or one with an older revision than the reported one, has a different history. */
function leadsOn(from: EtcdPosition, now: EtcdPosition): boolean {
  return now.cluster === from.cluster && now.revision >= from.revision;
}

function onAbort(signal: AbortSignal, end: () => void): Disposable {
  signal.addEventListener("abort", end, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", end) };
}
