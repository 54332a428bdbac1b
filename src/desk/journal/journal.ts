import type { StartedPush } from "../../pilot/xds/observer.ts";
import type { PushEnd } from "../../xds/stream/push-progress.ts";
import type { PushSet } from "../../xds/stream/push-set.ts";
import type { SentResponse } from "../../xds/stream-observer.ts";
import { PushRate } from "./push-rate.ts";
import { type JournalObject, RecordedChange } from "./recorded-change.ts";
import { type NotedRejection, RecordedPush } from "./recorded-push.ts";

export interface JournalOptions {
  readonly now: () => number;
  /** The prefix of all ids. It differs between starts of the server, so that an old link does not find a new change. */
  readonly start: string;
  /** Whether every push so far has reached the streams. */
  readonly isDispatched: () => boolean;
  readonly limits?: JournalLimits;
}

export interface JournalLimits {
  readonly changes: number;
  /** Endpoints change all day. Only so many of these changes may push others out of the journal. */
  readonly endpointChanges: number;
  readonly pushes: number;
}

const defaultLimits: JournalLimits = { changes: 500, endpointChanges: 250, pushes: 1_000 };

/**
 * The last changes of the configuration, each with the push that carried it and the answers of proxies. Holds counters
 * and bounded lists only: its memory does not grow with proxies. The observers of the server feed it. It costs a few
 * additions per push, response and answer.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #limits: JournalLimits;
  /** By the sequence of the commit, oldest first. */
  readonly #changes = new Map<number, RecordedChange>();
  /** By number, oldest first. */
  readonly #pushes = new Map<number, RecordedPush>();
  readonly #waiting = new Set<number>();
  /** Ids of changes that differ from the last {@link takeTouched}. */
  readonly #touched = new Set<string>();
  readonly #listeners: (() => void)[] = [];
  readonly #rate = new PushRate();
  #endpointChanges = 0;
  #newestPush = 0;
  #dispatchedPush = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultLimits;
  }

  /** Changes that the next {@link takeTouched} looks for. */
  get touchedCount(): number {
    return this.#touched.size;
  }

  get start(): string {
    return this.#options.start;
  }

  /** The newest first. */
  get changes(): readonly RecordedChange[] {
    return [...this.#changes.values()].toReversed();
  }

  get pushes(): readonly RecordedPush[] {
    return [...this.#pushes.values()];
  }

  find(id: string): RecordedChange | undefined {
    const { start } = this.#options;
    return id.startsWith(`${start}-`) ? this.#changes.get(Number(id.slice(start.length + 1))) : undefined;
  }

  perMinute(): readonly number[] {
    return this.#rate.perMinute(this.#options.now());
  }

  /** Called after something changed. The listener takes the touched changes when it has time. */
  onTouched(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Changes since the last call, oldest first. */
  takeTouched(): readonly RecordedChange[] {
    const touched = [...this.#changes.values()].filter(({ id }) => this.#touched.has(id));
    this.#touched.clear();
    return touched;
  }

  /** The listener wants to look at this change again. */
  touchAgain({ id }: RecordedChange): void {
    this.#touch([id]);
  }

  /** A commit changed these objects. A commit without objects and without a push is no change of a user. */
  committed(sequence: number, objects: Iterable<JournalObject>): void {
    const { now, start } = this.#options;
    const change = new RecordedChange(`${start}-${sequence}`, now(), objects);
    if (change.total > 0) this.#add(sequence, change);
  }

  /** The commit concerns proxies, so a push follows. */
  requested(sequence: number, { endpointsOnly }: { readonly endpointsOnly: boolean }): void {
    if (!this.#changes.has(sequence)) this.#add(sequence, new RecordedChange(this.#idOf(sequence), this.#now(), []));
    const change = this.#changes.get(sequence);
    if (change === undefined) return;
    change.stage = { type: "waiting" };
    change.endpointsOnly = endpointsOnly;
    if (endpointsOnly) this.#endpointChanges++;
    this.#waiting.add(sequence);
    this.#bound();
    this.#touch([change.id]);
  }

  /** A commit may be in two pushes. The first one carries it, so the second one has nothing new of it. */
  pushStarted({ number, commits, reasons, debouncedMs, durationMs }: StartedPush): void {
    const at = this.#now();
    const push = new RecordedPush({ number, at, reasons: [...reasons.keys()], debouncedMs, buildMs: durationMs });
    for (const sequence of commits) {
      const change = this.#changes.get(sequence);
      if (!this.#waiting.delete(sequence) || change === undefined) continue;
      change.stage = { type: "pushed", push };
      push.changes.push(change.id);
    }
    this.#pushes.set(number, push);
    this.#newestPush = number;
    this.#rate.add(at);
    dropOldest(this.#pushes, this.#limits.pushes);
    this.#touch(push.changes);
  }

  /** The server tries again, together with newer commits. */
  pushFailed(cause: Error): void {
    for (const sequence of this.#waiting) {
      const change = this.#changes.get(sequence);
      if (change === undefined) continue;
      change.stage = { type: "failed", reason: cause.message };
      this.#touch([change.id]);
    }
  }

  /** The bytes of a response count for the newest push that it carries. */
  responseSent({ type, resources, removed, bytes, pushes }: Omit<SentResponse, "typeUrl" | "cause">): void {
    const push = this.#pushes.get(pushes?.at(-1)?.last ?? 0);
    if (push === undefined) return;
    push.respond(type, { resources, removed, bytes });
    this.#touch(push.changes);
  }

  pushesOwed(pushes: PushSet): void {
    for (const push of this.#each(pushes)) push.owe();
  }

  pushesEnded(pushes: PushSet, how: PushEnd): void {
    const now = this.#now();
    for (const push of this.#each(pushes)) push.end(how, now);
  }

  rejected(node: string, pushes: PushSet, rejections: readonly NotedRejection[]): void {
    for (const push of this.#each(pushes)) for (const each of rejections) push.reject(node, each);
  }

  /** Whether the push has reached the streams of all proxies. Before that, nobody knows how many it concerns. */
  isDispatched({ facts }: RecordedPush): boolean {
    if (this.#options.isDispatched()) this.#dispatchedPush = this.#newestPush;
    return facts.number <= this.#dispatchedPush;
  }

  *#each(pushes: PushSet): Iterable<RecordedPush> {
    const oldest = this.#pushes.keys().next().value ?? Number.POSITIVE_INFINITY;
    for (const { first, last } of pushes) {
      for (let number = Math.max(first, oldest); number <= last; number++) {
        const push = this.#pushes.get(number);
        if (push === undefined) continue;
        yield push;
        this.#touch(push.changes);
      }
    }
  }

  #add(sequence: number, change: RecordedChange): void {
    this.#changes.set(sequence, change);
    this.#bound();
    this.#touch([change.id]);
  }

  #bound(): void {
    const { changes, endpointChanges } = this.#limits;
    if (this.#endpointChanges > endpointChanges) this.#dropFirst(({ endpointsOnly }) => endpointsOnly);
    if (this.#changes.size > changes) this.#dropFirst(() => true);
  }

  #dropFirst(matches: (change: RecordedChange) => boolean): void {
    for (const [sequence, change] of this.#changes) {
      if (!matches(change)) continue;
      this.#changes.delete(sequence);
      this.#waiting.delete(sequence);
      if (change.endpointsOnly) this.#endpointChanges--;
      return;
    }
  }

  #touch(ids: readonly string[]): void {
    for (const id of ids) this.#touched.add(id);
    if (this.#touched.size > 2 * this.#limits.changes) this.#forgetDropped();
    for (const listener of this.#listeners) listener();
  }

  /** Nobody may take the touched changes for weeks. */
  #forgetDropped(): void {
    for (const id of this.#touched) if (this.find(id) === undefined) this.#touched.delete(id);
  }

  #idOf(sequence: number): string {
    return `${this.#options.start}-${sequence}`;
  }

  #now(): number {
    return this.#options.now();
  }
}

function dropOldest(map: Map<number, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
