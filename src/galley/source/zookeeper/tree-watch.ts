import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import type { Activity } from "./activity.ts";
import type { ReadLimiter } from "./read-limiter.ts";
import type { TreeChange } from "./session.ts";

export interface TreeWatchOptions {
  readonly root: string;
  readonly clock: Clock;
  /** The delay before reported changes are passed on, together with all changes meanwhile. 0 for at once. */
  readonly debounceMs: number;
  readonly activity: Activity;
  /** `tree`: one watch for all nodes, if the server can do that. `nodes`: one for each read. `none`: polling. */
  readonly watch: "tree" | "nodes" | "none";
  /** Everything can be read through this limiter now, and no later change is missed. Undefined without a connection. */
  readonly onReady: (limiter: ReadLimiter | undefined) => void;
  readonly onChanges: (changes: readonly TreeChange[]) => void;
}

/**
 * Watches the whole tree on each connection, before anything is read through it. A server before 3.6 cannot do that.
 * Then the nodes are watched one by one from there on, because others of its ensemble may be as old.
 */
export class TreeWatch {
  readonly #options: TreeWatchOptions;
  #watch: TreeWatchOptions["watch"];
  #limiter: ReadLimiter | undefined;
  #waiting: TreeChange[] = [];
  #cancelDebounce: Cancel | undefined;

  constructor(options: TreeWatchOptions) {
    this.#options = options;
    this.#watch = options.watch;
  }

  /** Whether each read must set a watch. */
  get isByNode(): boolean {
    return this.#watch === "nodes";
  }

  follow(limiter: ReadLimiter | undefined): void {
    this.#drop();
    this.#limiter = limiter;
    if (limiter === undefined || this.#watch !== "tree") this.#options.onReady(limiter);
    else void this.#begin(limiter);
  }

  close(): void {
    this.#drop();
    this.#limiter = undefined;
  }

  async #begin(limiter: ReadLimiter): Promise<void> {
    const { root, activity, onReady } = this.#options;
    activity.begin();
    const answer = await limiter.session.watchTree(root, (changes) => this.#take(limiter, changes));
    if (answer.type === "refused") this.#watch = "nodes";
    if (answer.type !== "lost" && this.#limiter === limiter) onReady(limiter);
    activity.end();
  }

  #take(limiter: ReadLimiter, changes: readonly TreeChange[]): void {
    const { clock, debounceMs, activity, onChanges } = this.#options;
    if (this.#limiter !== limiter) return;
    if (debounceMs === 0) return onChanges(changes);
    for (const change of changes) this.#waiting.push(change);
    if (this.#cancelDebounce !== undefined) return;
    activity.begin();
    this.#cancelDebounce = clock.after(debounceMs, () => {
      const all = this.#waiting;
      this.#drop();
      onChanges(all);
    });
  }

  #drop(): void {
    this.#waiting = [];
    if (this.#cancelDebounce === undefined) return;
    this.#cancelDebounce();
    this.#cancelDebounce = undefined;
    this.#options.activity.end();
  }
}
