import type { Limits } from "../../lib/bounded/limit.ts";
import type { Peer } from "../../lib/grpc/grpc-stream.ts";
import { isLimited, peerKey } from "../../lib/grpc/peer-host.ts";
import { largestMessages, type serverLimits } from "./server-limits.ts";

/** A stream that may have an incomplete message. */
export interface ReceivingStream {
  /** Called at the first incomplete message. By then the peer is authenticated. */
  peer(): Peer;
  /** Ends the stream for this reason. */
  refuse(reason: string): void;
}

interface Held {
  readonly key: string;
  readonly isLimited: boolean;
  bytes: number;
}

/**
 * Limits the memory of incomplete messages. A client could announce large messages, never complete them, and fill the
 * memory. Above the limit of one peer, or of all peers, the stream with the most bytes is refused. Clients that
 * complete their messages hold little memory for a short time.
 */
export class IncompleteMessages {
  readonly #peerBytes: number;
  readonly #allBytes: number;
  readonly #streams = new Map<ReceivingStream, Held>();
  readonly #peers = new Map<string, number>();
  #all = 0;

  constructor({ messageBytes, peerBytes, allBytes }: Limits<typeof serverLimits>) {
    this.#peerBytes = Math.max(peerBytes, largestMessages * messageBytes);
    this.#allBytes = Math.max(allBytes, this.#peerBytes);
  }

  /** The bytes of all incomplete messages. */
  get bytes(): number {
    return this.#all;
  }

  /** Sets the memory of a stream. Zero when the stream is not within a message. */
  hold(stream: ReceivingStream, bytes: number): void {
    const known = this.#streams.get(stream);
    if (bytes === (known?.bytes ?? 0)) return;
    const held = known ?? heldBy(stream.peer());
    const ofPeer = (this.#peers.get(held.key) ?? 0) + bytes - held.bytes;
    this.#all += bytes - held.bytes;
    held.bytes = bytes;
    put(this.#streams, stream, bytes === 0 ? undefined : held);
    put(this.#peers, held.key, ofPeer === 0 ? undefined : ofPeer);
    if (held.isLimited && ofPeer > this.#peerBytes) this.#refuseLargest("this peer", this.#peerBytes, held.key);
    if (this.#all > this.#allBytes) this.#refuseLargest("all peers", this.#allBytes);
  }

  #refuseLargest(whose: string, limit: number, key?: string): void {
    const streams = [...this.#streams].filter(([, held]) => key === undefined || held.key === key);
    const [largest] = streams.reduce((most, entry) => (entry[1].bytes > most[1].bytes ? entry : most));
    this.hold(largest, 0);
    largest.refuse(`messages of ${whose} that are not complete exceed the limit of ${limit} bytes`);
  }
}

function heldBy(peer: Peer): Held {
  return { key: peerKey(peer), isLimited: isLimited(peer), bytes: 0 };
}

function put<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
