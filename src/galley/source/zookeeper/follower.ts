import { Backoff } from "../../../lib/time/backoff.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import type { Activity } from "./activity.ts";
import type { ReadLimiter } from "./read-limiter.ts";
import type { NodeAnswer, OnChange, Session } from "./session.ts";

/** How nodes are followed. */
export interface FollowOptions {
  readonly clock: Clock;
  /** Whether reads set a watch. Without watches, a caller must call {@link Follower.refresh}. */
  readonly watches: () => boolean;
  /** The delay before a changed node is read again. One read covers all changes meanwhile. 0 for at once. */
  readonly debounceMs: number;
  readonly activity: Activity;
}

/** The fact to follow about a node, and the receiver of answers. */
export interface Followed<T> {
  /** Reads and sets the watch in one step. A later watch would miss changes in between. */
  readonly read: (session: Session, onChange: OnChange | undefined) => Promise<NodeAnswer<T>>;
  /** Receives each answer except `lost`. */
  readonly take: (answer: ServerAnswer<T>) => void;
}

export type ServerAnswer<T> = Exclude<NodeAnswer<T>, { readonly type: "lost" }>;

/**
 * Follows one fact about one node. It reads again when its watch fires, on request, some time after a refusal, and on
 * each new connection. It makes one read at a time. Changes during a read lead to another read.
 */
export class Follower<T> {
  readonly #followed: Followed<T>;
  readonly #pace: FollowOptions;
  readonly #onChange: OnChange;
  /** Backoff after refusals. */
  readonly #backoff = new Backoff({ firstMs: 500, lastMs: 60_000 });
  #limiter: ReadLimiter | undefined;
  /** The read in progress on the current limiter. */
  #reading: object | undefined;
  #again = false;
  /** The last answer on the current limiter. */
  #last: "none" | "taken" | "refused" = "none";
  #cancelRetry: Cancel = () => {};
  #cancelDebounce: Cancel | undefined;

  constructor(followed: Followed<T>, pace: FollowOptions) {
    this.#followed = followed;
    this.#pace = pace;
    // One function for all reads, so the client recognizes an existing watch.
    this.#onChange = () => this.#changed();
  }

  /**
   * `current`: the last answer is complete, and no read is in progress. `reading`: an answer will come. `refused`: the
   * last answer was a refusal, and a retry is due.
   */
  get state(): "current" | "reading" | "refused" {
    if (this.#reading !== undefined || this.#last === "none") return "reading";
    return this.#last === "taken" ? "current" : "refused";
  }

  /** Reads through this limiter from now on. Without a limiter it waits. Answers of the previous limiter no longer count. */
  follow(limiter: ReadLimiter | undefined): void {
    this.#rest();
    this.#limiter = limiter;
    this.refresh();
  }

  refresh(): void {
    if (this.#limiter === undefined) return;
    this.#cancelRetry();
    if (this.#reading === undefined) void this.#read(this.#limiter);
    else this.#again = true;
  }

  close(): void {
    this.#rest();
    this.#limiter = undefined;
  }

  #rest(): void {
    this.#cancelRetry();
    this.#endDebounce();
    if (this.#reading !== undefined) this.#pace.activity.end();
    this.#reading = undefined;
    this.#again = false;
    this.#last = "none";
  }

  #changed(): void {
    const { clock, debounceMs, activity } = this.#pace;
    if (debounceMs === 0) this.refresh();
    if (debounceMs === 0 || this.#limiter === undefined || this.#cancelDebounce !== undefined) return;
    activity.begin();
    this.#cancelDebounce = clock.after(debounceMs, () => {
      this.refresh();
      this.#endDebounce();
    });
  }

  #endDebounce(): void {
    if (this.#cancelDebounce === undefined) return;
    this.#cancelDebounce();
    this.#cancelDebounce = undefined;
    this.#pace.activity.end();
  }

  async #read(limiter: ReadLimiter): Promise<void> {
    const reading = {};
    this.#reading = reading;
    this.#pace.activity.begin();
    const answer = await limiter.read((session) =>
      this.#reading === reading
        ? this.#followed.read(session, this.#pace.watches() ? this.#onChange : undefined)
        : Promise.resolve({ type: "lost" } as const),
    );
    if (this.#reading !== reading) return;
    this.#reading = undefined;
    if (answer.type !== "lost") this.#take(answer);
    if (this.#again && this.#limiter === limiter) {
      this.#again = false;
      void this.#read(limiter);
    }
    this.#pace.activity.end();
  }

  #take(answer: ServerAnswer<T>): void {
    this.#last = answer.type === "refused" ? "refused" : "taken";
    if (answer.type === "refused") {
      this.#cancelRetry = this.#pace.clock.after(this.#backoff.next(), () => this.refresh());
    } else {
      this.#backoff.reset();
    }
    this.#followed.take(answer);
  }
}
