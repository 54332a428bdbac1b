import type { Http2Stream } from "node:http2";
import { assert } from "../lib/assert.ts";
import type { SliceSize } from "./slice-size.ts";

interface Waiting {
  readonly bytes: Uint8Array;
  readonly endsMessage: boolean;
}

export interface SlicedWriterOptions {
  /** How many bytes the stream gets at a time. */
  readonly sliceSize: SliceSize;
  /** A slice is in the socket, with the ends of this many messages. Also called when the stream dies. */
  readonly onSliceLeft: (messages: number) => void;
}

/**
 * Writes messages to a stream slice by slice. The next slice follows when the one before has left. Node reports only
 * when a whole write is in the socket. Without slices a slow reader would look like a dead one.
 */
export class SlicedWriter {
  readonly #stream: Http2Stream;
  readonly #sliceSize: SliceSize;
  readonly #onSliceLeft: (messages: number) => void;
  /** Valid from `#next` on. Segments are shared with other streams, so the queue holds references, never copies. */
  #waiting: Waiting[] = [];
  #next = 0;
  #waitingBytes = 0;
  #writing = false;
  /** Messages whose last byte is in the slice that is being written. */
  #leaving = 0;
  #ended = false;

  constructor(stream: Http2Stream, { sliceSize, onSliceLeft }: SlicedWriterOptions) {
    this.#stream = stream;
    this.#sliceSize = sliceSize;
    this.#onSliceLeft = onSliceLeft;
  }

  /** Bytes that are written but not yet in the socket. */
  get queued(): number {
    return this.#waitingBytes + this.#stream.writableLength;
  }

  /** Takes one message, by reference. */
  write(head: Uint8Array, segments: readonly Uint8Array[]): void {
    const last = segments.length;
    this.#add({ bytes: head, endsMessage: last === 0 });
    for (const [index, bytes] of segments.entries()) this.#add({ bytes, endsMessage: index === last - 1 });
    this.#advance();
  }

  /** Ends the stream after the written messages. */
  end(): void {
    this.#ended = true;
    this.#advance();
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#waitingBytes += waiting.bytes.length;
  }

  #advance(): void {
    if (this.#writing) return;
    if (this.#next < this.#waiting.length) this.#writeSlice();
    else if (this.#ended) this.#stream.end();
  }

  #writeSlice(): void {
    this.#writing = true;
    const sliceBytes = this.#sliceSize.start();
    this.#stream.cork();
    let part = this.#take(sliceBytes);
    let room = sliceBytes - part.length;
    while (room > 0 && this.#next < this.#waiting.length) {
      this.#stream.write(part);
      part = this.#take(room);
      room -= part.length;
    }
    this.#stream.write(part, this.#sliceLeft);
    this.#stream.uncork();
  }

  /** The next waiting bytes: from one buffer, at most `most`. */
  #take(most: number): Uint8Array {
    const waiting = this.#waiting[this.#next];
    assert(waiting !== undefined, "bytes are taken while some wait");
    const { bytes, endsMessage } = waiting;
    const part = bytes.subarray(0, most);
    this.#waitingBytes -= part.length;
    if (part.length < bytes.length) {
      this.#waiting[this.#next] = { bytes: bytes.subarray(most), endsMessage };
      return part;
    }
    if (endsMessage) this.#leaving += 1;
    this.#next += 1;
    if (this.#next === this.#waiting.length) this.#clear();
    return part;
  }

  /** One function for all slices, so that a push to many streams allocates no closures. */
  readonly #sliceLeft = (): void => {
    this.#writing = false;
    this.#sliceSize.left();
    const messages = this.#leaving;
    this.#leaving = 0;
    if (this.#stream.destroyed) this.#clear();
    this.#onSliceLeft(messages);
    this.#advance();
  };

  #clear(): void {
    this.#waiting = [];
    this.#next = 0;
    this.#waitingBytes = 0;
  }
}
