import { Backoff } from "../../../lib/time/backoff.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import type { Activity } from "./activity.ts";
import type { Lane } from "./lane.ts";
import type { Answer, OnChange, Session } from "./session.ts";

/** How nodes are followed. */
export interface Pace {
  readonly clock: Clock;
  /** Without watches, a caller must call {@link Follower.refresh}. */
  readonly watching: boolean;
  /** The delay before a changed node is read again. One read covers all changes meanwhile. 0 for at once. */
  readonly debounceMs: number;
  readonly activity: Activity;
}

/** The fact to follow about a node, and the receiver of answers. */
export interface Followed<T> {
  /** Reads and sets the watch in one step. A later watch would miss changes in between. */
  readonly read: (session: Session, onChange: OnChange | undefined) => Promise<Answer<T>>;
  /** Receives each answer except `lost`. */
  readonly take: (answer: Told<T>) => void;
}

export type Told<T> = Exclude<Answer<T>, { readonly type: "lost" }>;

/**
 * Follows one fact about one node. It reads again when its watch fires, on request, some time after a refusal, and on
 * each new connection. It makes one read at a time. Changes during a read lead to another read.
 */
export class Follower<T> {
  readonly #followed: Followed<T>;
  readonly #pace: Pace;
  readonly #onChange: OnChange | undefined;
  /** Backoff after refusals. */
  readonly #backoff = new Backoff({ firstMs: 500, lastMs: 60_000 });
  #lane: Lane | undefined;
  /** The read in progress on the current lane. */
  #reading: object | undefined;
  #again = false;
  #cancelRetry: Cancel = () => {};
  #cancelDebounce: Cancel | undefined;

  constructor(followed: Followed<T>, pace: Pace) {
    this.#followed = followed;
    this.#pace = pace;
    // One function for all reads, so the client recognizes an existing watch.
    this.#onChange = pace.watching ? () => this.#changed() : undefined;
  }

  /** Reads through this lane from now on. Without a lane it waits. Answers of the previous lane no longer count. */
  follow(lane: Lane | undefined): void {
    this.#rest();
    this.#lane = lane;
    this.refresh();
  }

  refresh(): void {
    if (this.#lane === undefined) return;
    this.#cancelRetry();
    if (this.#reading === undefined) void this.#read(this.#lane);
    else this.#again = true;
  }

  close(): void {
    this.#rest();
    this.#lane = undefined;
  }

  #rest(): void {
    this.#cancelRetry();
    this.#endDebounce();
    if (this.#reading !== undefined) this.#pace.activity.end();
    this.#reading = undefined;
    this.#again = false;
  }

  #changed(): void {
    const { clock, debounceMs, activity } = this.#pace;
    if (debounceMs === 0) this.refresh();
    if (debounceMs === 0 || this.#lane === undefined || this.#cancelDebounce !== undefined) return;
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

  async #read(lane: Lane): Promise<void> {
    const reading = {};
    this.#reading = reading;
    this.#pace.activity.begin();
    const answer = await lane.read((session) =>
      this.#reading === reading
        ? this.#followed.read(session, this.#onChange)
        : Promise.resolve({ type: "lost" } as const),
    );
    if (this.#reading !== reading) return;
    this.#reading = undefined;
    if (answer.type !== "lost") this.#take(answer);
    if (this.#again && this.#lane === lane) {
      this.#again = false;
      void this.#read(lane);
    }
    this.#pace.activity.end();
  }

  #take(answer: Told<T>): void {
    if (answer.type === "refused") {
      this.#cancelRetry = this.#pace.clock.after(this.#backoff.next(), () => this.refresh());
    } else {
      this.#backoff.reset();
    }
    this.#followed.take(answer);
  }
}
