import type { Journal } from "../../../desk/journal/journal.ts";
import type { Cancel } from "../../../lib/time/clock.ts";
import type { SupervisedClock } from "../../../lib/supervisor.ts";
import type { StartedPush } from "../../../pilot/xds/observer.ts";
import type { PushEnd } from "../../../xds/stream/push-progress.ts";
import type { PushSet } from "../../../xds/stream/push-set.ts";
import type { SentResponse } from "../../../xds/stream-observer.ts";
import { type FailedAttempt, PushTrail, type TracedChange } from "./push-trail.ts";

/** A complete trace: one push, or a change that needed none. */
export type Traced =
  | { readonly type: "push"; readonly trail: PushTrail }
  | { readonly type: "not pushed"; readonly traced: TracedChange };

export interface ChangeTracerOptions {
  readonly journal: Pick<Journal, "start" | "find" | "isDispatched">;
  readonly clock: SupervisedClock;
  /** The last event of a source. */
  readonly lastEventAt: () => number | undefined;
  readonly onComplete: (traced: Traced) => void;
}

/** How often complete pushes are looked for, while there is one under way. */
const lookMs = 100;
/** A trace does not wait longer for proxies that do not answer. */
const longestMs = 60_000;
/** The largest number of pushes under way, of commits that wait for one, and of kept failures. */
const maxTrails = 100;
const maxCommits = 500;
const maxFailures = 5;

/** Follows each change of the journal until all proxies have answered its push. Costs a few additions per response. */
export class ChangeTracer {
  readonly #options: ChangeTracerOptions;
  /** By number, oldest first. */
  readonly #trails = new Map<number, PushTrail>();
  /** The time of the source's event, by the sequence of a commit that was not pushed yet. */
  readonly #commits = new Map<number, number | undefined>();
  #failures: readonly FailedAttempt[] = [];
  #cancel: Cancel | undefined;

  constructor(options: ChangeTracerOptions) {
    this.#options = options;
  }

  /** A commit of Pilot's graph. The journal has recorded it. */
  committed(sequence: number): void {
    if (this.#commits.size >= maxCommits) this.#commits.delete(this.#commits.keys().next().value ?? 0);
    this.#commits.set(sequence, this.#options.lastEventAt());
    this.#lookLater();
  }

  /** The journal has recorded the push. Only changes that this push carries first are in it. */
  pushStarted({ number, commits }: StartedPush): void {
    const changes = commits.flatMap((sequence) => {
      const change = this.#find(sequence);
      if (change?.stage.type !== "pushed" || change.stage.push.facts.number !== number) return [];
      const eventAt = this.#commits.get(sequence);
      this.#commits.delete(sequence);
      return [{ change, eventAt, push: change.stage.push }];
    });
    const [first] = changes;
    const failures = this.#failures;
    this.#failures = [];
    if (first === undefined) return;
    if (this.#trails.size >= maxTrails) this.#complete(this.#trails.keys().next().value ?? 0);
    this.#trails.set(number, new PushTrail(first.push, changes, failures));
    this.#lookLater();
  }

  pushFailed({ message }: Error): void {
    const failure = { at: this.#options.clock.now(), message };
    this.#failures = [...this.#failures, failure].slice(-maxFailures);
  }

  /** A response counts for the newest push that it carries, as in the journal. */
  responseSent({ type, node, pushes }: Pick<SentResponse, "type" | "node" | "pushes">): void {
    this.#trails.get(pushes?.at(-1)?.last ?? 0)?.responded(type, node, this.#options.clock.now());
  }

  pushesEnded(node: string, pushes: PushSet, how: PushEnd): void {
    for (const trail of this.#in(pushes)) {
      if (how === "acknowledged") trail.acknowledged(node, this.#options.clock.now());
      trail.ended(node);
    }
  }

  rejected(type: string, pushes: PushSet): void {
    for (const trail of this.#in(pushes)) trail.rejected(type, this.#options.clock.now());
  }

  /** Completes everything that is under way, as it is now. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const number of this.#trails.keys()) this.#complete(number);
  }

  *#in(pushes: PushSet): Iterable<PushTrail> {
    for (const [number, trail] of this.#trails)
      if (pushes.some(({ first, last }) => first <= number && number <= last)) yield trail;
  }

  #lookLater(): void {
    this.#cancel ??= this.#options.clock.after(lookMs, () => this.#look());
  }

  #look(): void {
    this.#cancel = undefined;
    const { clock, journal } = this.#options;
    for (const [number, { push }] of this.#trails) {
      const isOver = journal.isDispatched(push) && push.behind === 0;
      if (isOver || clock.now() - push.facts.at >= longestMs) this.#complete(number);
    }
    for (const sequence of this.#commits.keys()) this.#lookAt(sequence);
    if (this.#trails.size > 0 || this.#commits.size > 0) this.#lookLater();
  }

  /** A commit that no push follows is complete. */
  #lookAt(sequence: number): void {
    const change = this.#find(sequence);
    if (change?.stage.type === "waiting" || change?.stage.type === "failed") return;
    const eventAt = this.#commits.get(sequence);
    this.#commits.delete(sequence);
    if (change?.stage.type !== "not pushed") return;
    this.#options.onComplete({ type: "not pushed", traced: { change, eventAt } });
  }

  #complete(number: number): void {
    const trail = this.#trails.get(number);
    this.#trails.delete(number);
    if (trail !== undefined) this.#options.onComplete({ type: "push", trail });
  }

  #find(sequence: number) {
    const { journal } = this.#options;
    return journal.find(`${journal.start}-${sequence}`);
  }
}
