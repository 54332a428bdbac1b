import type { Peer } from "../../../lib/grpc/grpc-stream.ts";
import { isLimited, peerKey } from "../../../lib/grpc/peer-host.ts";
import type { Clock } from "../../../lib/time/clock.ts";

/** A peer with more new streams than this is busy. The count falls by `perSecond`. */
const busyFrom = 5;
const perSecond = 2;
/** The most peers to remember. Above this number, peers without recent streams are forgotten. */
const maxPeers = 10_000;

interface Recent {
  readonly streams: number;
  readonly at: number;
}

/** Knows the peers that opened many streams lately. Peers on this machine never count: they may be many proxies. */
export class RecentPeers {
  readonly #clock: Clock;
  readonly #recent = new Map<string, Recent>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isBusy(peer: Peer): boolean {
    return this.#streamsOf(peerKey(peer)) > busyFrom;
  }

  /** A peer asked for a stream, accepted or not. */
  add(peer: Peer): void {
    if (!isLimited(peer)) return;
    if (this.#recent.size >= maxPeers) this.#forget();
    const key = peerKey(peer);
    // The count has a limit, so that a peer is forgiven soon after it stops.
    const streams = Math.min(this.#streamsOf(key) + 1, 2 * busyFrom);
    this.#recent.set(key, { streams, at: this.#clock.now() });
  }

  #streamsOf(key: string): number {
    const recent = this.#recent.get(key);
    if (recent === undefined) return 0;
    return Math.max(0, recent.streams - ((this.#clock.now() - recent.at) * perSecond) / 1_000);
  }

  #forget(): void {
    for (const key of this.#recent.keys()) if (this.#streamsOf(key) === 0) this.#recent.delete(key);
  }
}
