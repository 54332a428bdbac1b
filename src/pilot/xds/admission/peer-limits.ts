import { GrpcStatus, type GrpcStream, type Peer } from "../../../lib/grpc/grpc-stream.ts";
import { isLimited, peerKey } from "../../../lib/grpc/peer-host.ts";
import { withAttach } from "../../../lib/grpc/with-attach.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Refusal } from "../../../xds/admission.ts";

/** New streams that a peer may open at once, and how many more each second. A node of 1 000 proxies may restart. */
const burst = 1_000;
const perSecond = 100;
/** The most peers to remember. Above this number, peers without a stream are forgotten. */
const maxPeers = 10_000;

export interface PeerLimitsOptions {
  readonly clock: Clock;
  /** Streams of one peer at a time; 0 for any number. */
  readonly maxStreams: number;
}

interface Account {
  streams: number;
  /** New streams that it may still open. */
  level: number;
  filledAt: number;
}

/**
 * Limits the streams of one peer, so that other peers have enough: the number of open streams, and new streams per
 * second. A peer is an authenticated identity, else an address. Peers on this machine have no limit: a proxy there may
 * serve many clients, like a fleet in a test.
 */
export class PeerLimits {
  readonly #clock: Clock;
  readonly #maxStreams: number;
  readonly #accounts = new Map<string, Account>();

  constructor({ clock, maxStreams }: PeerLimitsOptions) {
    this.#clock = clock;
    this.#maxStreams = maxStreams;
  }

  /** The reason why a peer may not open a stream; undefined if it may, and then the stream counts. */
  refusalOf(peer: Peer): Refusal | undefined {
    if (this.#isUnlimited(peer)) return undefined;
    const account = this.#accountOf(peer);
    if (account.streams >= this.#maxStreams) {
      return refused(`this peer has ${account.streams} streams, which is the limit (--max-streams-per-peer)`);
    }
    this.#fill(account);
    if (account.level < 1) {
      const retryAfterMs = Math.ceil(((1 - account.level) / perSecond) * 1_000);
      return { ...refused(`this peer opens more than ${perSecond} streams a second`), retryAfterMs };
    }
    account.level -= 1;
    return undefined;
  }

  /** The same stream, which counts while it is attached to. */
  counted(stream: GrpcStream): GrpcStream {
    return withAttach(stream, (handler) => {
      const { peer } = stream;
      if (this.#isUnlimited(peer)) return stream.attach(handler);
      const account = this.#accountOf(peer);
      account.streams += 1;
      stream.attach({
        onMessage: (bytes) => handler.onMessage(bytes),
        onFlushed: () => handler.onFlushed(),
        onClose: (reason) => {
          account.streams -= 1;
          handler.onClose(reason);
        },
      });
    });
  }

  #isUnlimited(peer: Peer): boolean {
    return this.#maxStreams === 0 || !isLimited(peer);
  }

  #accountOf(peer: Peer): Account {
    const key = peerKey(peer);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    if (this.#accounts.size >= maxPeers) this.#forgetIdle();
    const account = { streams: 0, level: burst, filledAt: this.#clock.now() };
    this.#accounts.set(key, account);
    return account;
  }

  #fill(account: Account): void {
    const now = this.#clock.now();
    account.level = Math.min(burst, account.level + ((now - account.filledAt) * perSecond) / 1_000);
    account.filledAt = now;
  }

  #forgetIdle(): void {
    for (const [key, { streams }] of this.#accounts) if (streams === 0) this.#accounts.delete(key);
  }
}

function refused(message: string): Refusal {
  return { type: "refused", status: GrpcStatus.RESOURCE_EXHAUSTED, message };
}
