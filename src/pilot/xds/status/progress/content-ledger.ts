import type { ConfigId } from "../../../../config/config.ts";
import { commonOf, noPushes, type PushRange, type PushSet, spanOf, unionOf } from "../../../../xds/stream/push-set.ts";
import type { ChangedConfig } from "../../../registry/changed-configs.ts";
import type { StartedPush } from "../../observer.ts";

/** How the newest content of an object got to the streams. */
export interface CarriedObject {
  /** Changes of the object wait for a push. Until then, no proxy can have its newest content. */
  readonly waits: boolean;
  /** All pushes that may carry a change of the object to a stream that is open now. May hold further pushes. */
  readonly pushes: PushSet;
  /** When the newest change arrived, in the clock's milliseconds. Undefined if the object is as old as the streams. */
  readonly changedAt: number | undefined;
}

interface Entry {
  pushes: PushSet;
  /** Commits that no push contains so far. */
  readonly waiting: Set<number>;
  changedAt: number;
}

interface LedgerOptions {
  readonly now: () => number;
  /** The number of the last published push. */
  readonly published: () => number;
  /** Whether a stream is open. */
  readonly hasStreams: () => boolean;
  /** The largest number of remembered objects. */
  readonly most?: number;
}

/** More pushes of one object than this are kept as one range, which holds further pushes. */
const maxRanges = 8;

/**
 * Remembers which pushes carried the changes of each object. A proxy has the newest content of an object once it has
 * accepted all of these pushes: only a push changes the resources of a proxy. An object that did not change while streams
 * were open needs no entry, because the first response of a stream has everything.
 */
export class ContentLedger {
  readonly #options: LedgerOptions;
  /** The oldest change first. */
  readonly #entries = new Map<ConfigId, Entry>();
  /** The objects of commits that no push contains so far, and the first push that may contain a part of them. */
  readonly #commits = new Map<number, { readonly ids: readonly ConfigId[]; readonly from: number }>();
  #newest: { readonly sequence: number; readonly ids: readonly ConfigId[] } | undefined;
  /** The last push of an object that was forgotten. */
  #forgotten = 0;
  /** Pushes that had something for a proxy. May hold further pushes. */
  #sent: PushSet = noPushes;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** A commit changed these objects. Whether a push follows is not known yet. */
  committed(sequence: number, changes: Iterable<ChangedConfig>): void {
    const ids: ConfigId[] = [];
    for (const { id, before, after } of changes) if (before?.version !== after?.version) ids.push(id);
    this.#newest = { sequence, ids };
  }

  /** A push of this commit follows. */
  requested(sequence: number): void {
    const { ids } = this.#newest?.sequence === sequence ? this.#newest : { ids: [] };
    if (ids.length === 0) return;
    // The endpoints of an object may leave with an earlier push than the rest of the object.
    this.#commits.set(sequence, { ids, from: this.#options.published() + 1 });
    for (const id of ids) {
      const { pushes = noPushes, waiting = new Set<number>() } = this.#entries.get(id) ?? {};
      this.#entries.delete(id);
      this.#entries.set(id, { pushes, waiting: waiting.add(sequence), changedAt: this.#options.now() });
    }
    this.#forgetOldest();
  }

  pushStarted({ number, commits }: Pick<StartedPush, "number" | "commits">): void {
    const hasStreams = this.#options.hasStreams();
    for (const sequence of commits) {
      const { ids, from } = this.#commits.get(sequence) ?? { ids: [], from: number };
      this.#commits.delete(sequence);
      for (const id of ids) this.#carried(id, sequence, { first: Math.min(from, number), last: number }, hasStreams);
    }
  }

  /** A response with these pushes left. */
  responseSent(pushes: PushSet): void {
    for (const range of pushes) this.#sent = withRange(this.#sent, range);
  }

  /** Whether a push that carried a change of the object had something for a proxy. */
  reachedProxies(id: ConfigId): boolean {
    return commonOf(this.#entries.get(id)?.pushes ?? noPushes, this.#sent).length > 0;
  }

  of(id: ConfigId): CarriedObject {
    const entry = this.#entries.get(id);
    if (entry !== undefined) {
      return { waits: entry.waiting.size > 0, pushes: entry.pushes, changedAt: entry.changedAt };
    }
    const pushes = this.#forgotten === 0 ? noPushes : [{ first: 1, last: this.#forgotten }];
    return { waits: false, pushes, changedAt: undefined };
  }

  #carried(id: ConfigId, sequence: number, pushes: PushRange, hasStreams: boolean): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.waiting.delete(sequence);
    entry.pushes = withRange(entry.pushes, pushes);
    if (!hasStreams && entry.waiting.size === 0) this.#entries.delete(id);
  }

  #forgetOldest(): void {
    const { most = 50_000 } = this.#options;
    for (const [id, { pushes, waiting }] of this.#entries) {
      if (this.#entries.size <= most) return;
      if (waiting.size > 0) continue;
      this.#forgotten = Math.max(this.#forgotten, pushes.at(-1)?.last ?? 0);
      this.#entries.delete(id);
    }
  }
}

function withRange(pushes: PushSet, range: PushRange): PushSet {
  const all = unionOf([...pushes, range]);
  const [first, second, ...rest] = all;
  if (all.length <= maxRanges || first === undefined || second === undefined) return all;
  return [spanOf(first, second), ...rest];
}
