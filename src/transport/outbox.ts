import type { Http2Stream } from "node:http2";
import { frameHead } from "./grpc-framing.ts";
import { directOutlet, type Outlet } from "./outlet.ts";
import { SendDeadline } from "./send-deadline.ts";
import { SlicedOutlet } from "./tls/sliced-outlet.ts";

export interface OutboxOptions {
  readonly encrypted: boolean;
  /** How long the peer may take to read what it was sent; 0 for ever. */
  readonly sendTimeoutMs: number;
  /** The peer took longer. */
  readonly onStuck: () => void;
  /** Everything has left, or the stream is dead. */
  readonly onEmpty: () => void;
}

/** The half of a gRPC stream that messages leave by, at either end. */
export class Outbox {
  readonly #outlet: Outlet;
  readonly #deadline: SendDeadline;
  readonly #onEmpty: () => void;
  #inFlight = 0;

  constructor(stream: Http2Stream, { encrypted, sendTimeoutMs, onStuck, onEmpty }: OutboxOptions) {
    this.#outlet = encrypted ? new SlicedOutlet(stream, this.#messageLeft) : directOutlet(stream, this.#messageLeft);
    this.#deadline = new SendDeadline(sendTimeoutMs, onStuck);
    this.#onEmpty = onEmpty;
  }

  /** Bytes written but not yet taken by the socket. */
  get queued(): number {
    return this.#outlet.queued;
  }

  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void {
    this.#inFlight += 1;
    this.#deadline.sent();
    this.#outlet.write(frameHead(prefix, segments), segments);
  }

  /** Ends the stream behind what was sent. */
  end(): void {
    this.#outlet.end();
  }

  /** Nobody waits any longer for what was sent to be read. */
  release(): void {
    this.#deadline.clear();
  }

  /**
   * The callback of the last write of each message; one function for all, so that a push to many streams allocates none.
   * 'drain' would not do: it comes only after a write that returned false, and a sender that waits for it without one
   * sleeps for ever. The callback also runs when the stream dies.
   */
  readonly #messageLeft = (): void => {
    this.#inFlight -= 1;
    this.#deadline.left({ more: this.#inFlight > 0 });
    if (this.#inFlight === 0) this.#onEmpty();
  };
}
