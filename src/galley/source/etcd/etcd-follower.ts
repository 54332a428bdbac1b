import { append } from "../../../lib/append.ts";
import { overLimit } from "../../../lib/bounded/limit.ts";
import { MeshError } from "../../../lib/errors.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Freshness } from "../freshness.ts";
import type { SourceEvent, SourceHandler } from "../source.ts";
import type { EtcdContent } from "./etcd-content.ts";
import { etcdLimits } from "./etcd-limits.ts";
import type { EtcdChange, EtcdMember, EtcdPosition, EtcdWatch, WatchStep } from "./etcd-member.ts";
import { isOverLimit } from "./etcd-reason.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Milestones } from "./milestones.ts";

export interface EtcdFollowerOptions {
  readonly content: EtcdContent;
  readonly clock: Clock;
  /** How often a member must show that it still follows, and how long it may take to. */
  readonly heartbeatMs: number;
  /** How many keys are held. */
  readonly maxKeys?: number;
  readonly handler: SourceHandler;
  /** What ends the first full state. */
  readonly syncs: readonly SourceEvent[];
}

/**
 * Keeps up with a store, from one connection to the next: where it stands outlives the member that told it. Standing
 * nowhere, or where the store has forgotten what came after, it reads everything and says what differs; else it goes on
 * from there. The changes of a transaction are in one list of events.
 */
export class EtcdFollower {
  readonly #options: EtcdFollowerOptions;
  readonly #milestones: Milestones;
  readonly #freshness = new Freshness();
  /** All that happened up to here has been said. */
  #position: EtcdPosition | undefined;
  /** What is read but not said yet: everything is read in pages, and half of them are no state of the store. */
  #untold: SourceEvent[] = [];
  #watch: EtcdWatch | undefined;
  #synced = false;
  #following = false;

  constructor(options: EtcdFollowerOptions) {
    this.#options = options;
    this.#milestones = new Milestones({ clock: options.clock, ask: () => this.#watch?.askProgress() });
  }

  /** Whether what was said is what the store holds, but for what is on its way. */
  get following(): boolean {
    return this.#following;
  }

  /** Follows one member as far as it goes, then throws. After `signal` nothing more is said. */
  async follow(member: EtcdMember, signal: AbortSignal): Promise<never> {
    for (;;) {
      this.#position ??= await this.#readAll(member, signal);
      try {
        await this.#goOn(member, this.#position, signal);
      } catch (thrown) {
        // What is too much in one message, or too many changes, may be less by now: then all of it is read in pages.
        if (isOverLimit(thrown)) this.#position = undefined;
        throw thrown;
      }
      this.#position = undefined;
    }
  }

  /** From now on what was said may be out of date. */
  lost(reason: string): void {
    this.#following = false;
    this.#milestones.giveUp();
    // Without what is untold, which is half of something.
    const events = this.#freshness.stale(reason);
    if (events.length > 0) this.#options.handler(events);
  }

  /** Resolves when all that is in the store now has been said, or the member is no longer followed. */
  async catchUp(member: EtcdMember): Promise<void> {
    const { revision } = await member.position();
    await this.#milestones.reach(revision);
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
    append(this.#untold, content.retain(seen));
    if (!this.#synced) append(this.#untold, syncs);
    this.#synced = true;
    this.#follows();
    this.#milestones.passed(position.revision);
    return position;
  }

  /** Returns when the store does not lead on from there. */
  async #goOn(member: EtcdMember, from: EtcdPosition, signal: AbortSignal): Promise<void> {
    const { clock, heartbeatMs: everyMs } = this.#options;
    using watch = await member.watch(from.revision + 1);
    const onFailure = (reason: Error) => watch.fail(reason);
    using _heartbeat = new Heartbeat({ clock, everyMs, check: () => this.catchUp(member), onFailure });
    using _abort = onAbort(signal, () => watch.fail(new MeshError("cancelled", "nobody listens any more")));
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
    if (step.type === "changes") this.#say(this.#options.content.apply(step.changes));
    const revision = step.type === "changes" ? (step.changes.at(-1)?.revision ?? 0) : step.revision;
    this.#position = { cluster, revision };
    this.#milestones.passed(revision);
  }

  /** Throws before anything of it is taken. */
  #bound(changes: readonly EtcdChange[]): void {
    const { content, maxKeys = etcdLimits.keys.most } = this.#options;
    const keys = content.keysAfter(changes);
    if (keys > maxKeys) throw overLimit("all that etcd has below the prefix", maxKeys, "keys", keys);
  }

  /** What happened while nobody followed has been said when the watch is where the store was at its start. */
  async #refresh({ revision }: EtcdPosition, signal: AbortSignal): Promise<void> {
    if ((await this.#milestones.reach(revision)) && !signal.aborted) this.#follows();
  }

  #follows(): void {
    this.#following = true;
    this.#say(this.#freshness.fresh());
  }

  #say(more: readonly SourceEvent[]): void {
    const events = [...this.#untold, ...more];
    this.#untold = [];
    if (events.length > 0) this.#options.handler(events);
  }
}

/** A store that is another one, or has gone back behind what was said, has another past. */
function leadsOn(from: EtcdPosition, now: EtcdPosition): boolean {
  return now.cluster === from.cluster && now.revision >= from.revision;
}

function onAbort(signal: AbortSignal, end: () => void): Disposable {
  signal.addEventListener("abort", end, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", end) };
}
