import type { Http2Stream } from "node:http2";
import type { Clock } from "../lib/time/clock.ts";
import { frameHead } from "./grpc-framing.ts";
import { Outlet } from "./outlet.ts";
import { SendDeadline } from "./send-deadline.ts";
import { SliceSize } from "./slice-size.ts";

export interface OutboxOptions {
  readonly clock: Clock;
  /** How long the peer may read nothing of what it was sent; 0 for ever. */
  readonly sendTimeoutMs: number;
  /** The peer read nothing for that long. */
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

  constructor(stream: Http2Stream, { clock, sendTimeoutMs, onStuck, onEmpty }: OutboxOptions) {
    const sliceSize = new SliceSize(clock, sendTimeoutMs);
    this.#outlet = new Outlet(stream, { sliceSize, onSliceLeft: (messages) => this.#left(messages) });
    this.#deadline = new SendDeadline(clock, sendTimeoutMs, onStuck);
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
    this.#deadline.stop();
  }

  /**
   * Told by the callbacks of writes. 'drain' would not do: it comes only after a write that returned false, and a sender
   * that waits for it without one sleeps for ever.
   */
  #left(messages: number): void {
    this.#inFlight -= messages;
    this.#deadline.left({ more: this.#inFlight > 0 });
    if (messages > 0 && this.#inFlight === 0) this.#onEmpty();
  }
}
