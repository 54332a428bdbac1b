import type { Peer } from "../../lib/grpc/grpc-stream.ts";
import { isLimited, peerKey } from "../../lib/grpc/peer-host.ts";
import { oncePer } from "../../lib/memo.ts";

/** Requests of one peer in one turn of the event loop. A proxy sends some ten when it starts. */
const perTurn = 64;

/**
 * Shares the event loop between peers. A peer that sends more requests than its share, over all its streams, continues
 * in the next turn. Its further bytes wait in its own connection. On this machine each connection is a peer.
 */
export class TurnShares {
  readonly #taken = new Map<string, number>();

  /** One request of the peer is served. */
  take(peer: Peer): void {
    // The map is empty only at the start of a turn.
    if (this.#taken.size === 0) setImmediate(() => this.#taken.clear());
    const key = keyOf(peer);
    this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
  }

  isUsedUp(peer: Peer): boolean {
    return (this.#taken.get(keyOf(peer)) ?? 0) >= perTurn;
  }
}

const keyOf = oncePer((peer: Peer): string => (isLimited(peer) ? peerKey(peer) : peer.address));
