import type { GrpcStream, Peer } from "../../../lib/grpc/grpc-stream.ts";
import { withAttach } from "../../../lib/grpc/with-attach.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { RecentPeers } from "./recent-peers.ts";

export interface StreamBudgetOptions {
  readonly clock: Clock;
  /** New streams per second; 0 derives the rate from the measured cost of their first responses. */
  readonly perSecond: number;
  /** Whether the server is loaded. Then new streams get half of their usual share. */
  readonly isSlower?: () => boolean;
}

/** Whether a new stream is accepted, after which wait, or when the client should retry. */
export type Entry =
  | { readonly type: "now" }
  | { readonly type: "later"; readonly afterMs: number }
  | { readonly type: "refused"; readonly retryAfterMs: number };

/** The share of the thread's time for new streams. The rest is for existing streams. */
const measuredShare = 0.8;
/** The burst of work that is accepted after a quiet time. */
const burstMs = 1_600;
/**
 * The longest wait before a stream is accepted at the measured rate. A refused client comes back, which costs more than
 * its place in the queue. But it may find another replica, and gRPC clients give up after 15 s.
 */
const longestWaitMs = 5_000;
/** The same at a fixed rate. */
const longestFixedWaitMs = 1_000;
/** The same for a peer that opens many streams. The rest of the wait is left for others. */
const longestBusyWaitMs = 500;
/** The longest retry time. */
const longestRetryMs = 30_000;
/** The requests of a stream in this time count as the start of its proxy. */
const startupMs = 1_000;
const firstGuessMs = 1;

/**
 * Limits the rate of new streams by the work that they cause, with a leaky bucket. Proxies that share parts or
 * reconnect with current versions cost little and hardly wait. Cold starts that need computation are spread over time.
 * A refused stream is told when to retry. Each retry time is later than the one before, so that clients do not return
 * all at once.
 */
export class StreamBudget {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #usualShare: number;
  readonly #isSlower: () => boolean;
  readonly #peers: RecentPeers;
  readonly #burst: number;
  #levelMs: number;
  #filledAt: number;
  /** The expected cost of a young stream: a running median, which one costly stream hardly moves. */
  #expectedMs: number;
  /** Accepted streams that may still send their first requests. */
  #young = 0;
  /** The part of their expected cost that they have already caused. It is no longer held for them. */
  #causedMs = 0;
  #refused = 0;

  constructor({ clock, perSecond, isSlower = () => false }: StreamBudgetOptions) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#usualShare = perSecond > 0 ? 1 : measuredShare;
    this.#isSlower = isSlower;
    this.#peers = new RecentPeers(clock);
    this.#expectedMs = perSecond > 0 ? 1_000 / perSecond : firstGuessMs;
    this.#burst = perSecond > 0 ? this.#expectedMs : burstMs;
    this.#levelMs = this.#burst;
    this.#filledAt = clock.now();
  }

  /** The rate of new streams that could be accepted now. */
  get rate(): number {
    return (1_000 * this.#share) / this.#expectedMs;
  }

  /** Asks to accept one more stream of a peer. A peer that opens many streams is refused before others are. */
  enter(peer: Peer): Entry {
    this.#fill();
    this.#peers.add(peer);
    const shortMs = this.#expectedMs - (this.#levelMs - this.#heldMs);
    const waitMs = Math.max(0, shortMs / this.#share);
    const mostMs = this.#peers.isBusy(peer) ? longestBusyWaitMs : this.#longestWaitMs;
    if (waitMs > mostMs) return { type: "refused", retryAfterMs: this.#retryAfter(waitMs) };
    this.#refused = 0;
    if (this.#isFixed) this.#levelMs -= this.#expectedMs;
    else this.#young++;
    return waitMs === 0 ? { type: "now" } : { type: "later", afterMs: Math.ceil(waitMs) };
  }

  /** The same stream. The budget counts its first requests. Attached once, after {@link enter} accepted it. */
  metered(stream: GrpcStream): GrpcStream {
    return this.#isFixed ? stream : meteredStream(stream, () => this.#openAccount());
  }

  get #isFixed(): boolean {
    return this.#perSecond > 0;
  }

  get #longestWaitMs(): number {
    return this.#isFixed ? longestFixedWaitMs : longestWaitMs;
  }

  get #share(): number {
    return this.#isSlower() ? this.#usualShare / 2 : this.#usualShare;
  }

  get #heldMs(): number {
    return Math.max(0, this.#young * this.#expectedMs - this.#causedMs);
  }

  #retryAfter(waitMs: number): number {
    this.#refused++;
    return Math.min(Math.ceil(waitMs + (this.#refused * this.#expectedMs) / this.#share), longestRetryMs);
  }

  #fill(): void {
    const now = this.#clock.now();
    this.#levelMs = Math.min(this.#burst, this.#levelMs + (now - this.#filledAt) * this.#share);
    this.#filledAt = now;
  }

  #openAccount(): Account {
    let spentMs = 0;
    let causedMs = 0;
    let open = true;
    const close = () => {
      if (!open) return;
      open = false;
      cancel();
      this.#young--;
      this.#causedMs -= causedMs;
      this.#learn(spentMs);
    };
    const cancel = this.#clock.after(startupMs, close);
    const pay = (work: () => void) => {
      if (!open) return work();
      const startedAt = this.#clock.now();
      try {
        work();
      } finally {
        const costMs = this.#clock.now() - startedAt;
        spentMs += costMs;
        this.#fill();
        this.#levelMs -= costMs;
        const caused = Math.min(spentMs, this.#expectedMs);
        this.#causedMs += caused - causedMs;
        causedMs = caused;
      }
    };
    return { pay, close };
  }

  #learn(spentMs: number): void {
    this.#expectedMs = Math.min(
      Math.max(spentMs > this.#expectedMs ? this.#expectedMs * 1.1 : this.#expectedMs / 1.1, 0.05),
      burstMs,
    );
  }
}

interface Account {
  pay(work: () => void): void;
  close(): void;
}

function meteredStream(stream: GrpcStream, open: () => Account): GrpcStream {
  return withAttach(stream, (handler) => {
    const account = open();
    stream.attach({
      onMessage: (bytes) => account.pay(() => handler.onMessage(bytes)),
      onFlushed: () => handler.onFlushed(),
      onClose: (reason) => {
        account.close();
        handler.onClose(reason);
      },
    });
  });
}
