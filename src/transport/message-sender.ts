import type { Http2Stream } from "node:http2";
import type { Clock } from "../lib/time/clock.ts";
import { frameHead } from "./grpc-framing.ts";
import { SlicedWriter } from "./sliced-writer.ts";
import { SendDeadline } from "./send-deadline.ts";
import { SliceSize } from "./slice-size.ts";

export interface MessageSenderOptions {
  readonly clock: Clock;
  /** How long the peer may read none of the sent bytes. 0 disables the limit. */
  readonly sendTimeoutMs: number;
  /** The peer read nothing for that time. */
  readonly onStuck: () => void;
  /** All bytes have left, or the stream is dead. */
  readonly onEmpty: () => void;
}

/** The sending half of a gRPC stream, for server and client. */
export class MessageSender {
  readonly #writer: SlicedWriter;
  readonly #deadline: SendDeadline;
  readonly #onEmpty: () => void;
  #inFlight = 0;

  constructor(stream: Http2Stream, { clock, sendTimeoutMs, onStuck, onEmpty }: MessageSenderOptions) {
    const sliceSize = new SliceSize(clock, sendTimeoutMs);
    this.#writer = new SlicedWriter(stream, { sliceSize, onSliceLeft: (messages) => this.#left(messages) });
    this.#deadline = new SendDeadline(clock, sendTimeoutMs, onStuck);
    this.#onEmpty = onEmpty;
  }

  /** Bytes that are written but not yet in the socket. */
  get queued(): number {
    return this.#writer.queued;
  }

  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void {
    this.#inFlight += 1;
    this.#deadline.sent();
    this.#writer.write(frameHead(prefix, segments), segments);
  }

  /** Ends the stream after the sent messages. */
  end(): void {
    this.#writer.end();
  }

  /** Stops the send deadline. */
  release(): void {
    this.#deadline.stop();
  }

  /**
   * Called by write callbacks. 'drain' would not work: it fires only after a write that returned false. A sender that
   * waits for it without such a write waits forever.
   */
  #left(messages: number): void {
    this.#inFlight -= messages;
    this.#deadline.left({ more: this.#inFlight > 0 });
    if (messages > 0 && this.#inFlight === 0) this.#onEmpty();
  }
}
