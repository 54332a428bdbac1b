import type { Http2Stream } from "node:http2";
import { assert } from "../../lib/assert.ts";
import type { Outlet } from "../outlet.ts";

/**
 * What is encrypted at a time. Node keeps, per connection and for good, a buffer as large as the most that was ever
 * written to it at once: without slices, a push of a megabyte to a thousand proxies would stay a gigabyte.
 */
const sliceBytes = 256 * 1024;

interface Waiting {
  readonly bytes: Uint8Array;
  readonly endsMessage: boolean;
}

/** Hands messages to the socket of a TLS connection slice by slice, the next when the one before has left. */
export class SlicedOutlet implements Outlet {
  readonly #stream: Http2Stream;
  readonly #messageLeft: () => void;
  /** From `#next` on. Segments are shared with other streams: what waits is a reference, never a copy. */
  #waiting: Waiting[] = [];
  #next = 0;
  #waitingBytes = 0;
  #writing = false;
  /** Messages whose last byte is in the slice that is being written. */
  #leaving = 0;
  #ended = false;

  constructor(stream: Http2Stream, messageLeft: () => void) {
    this.#stream = stream;
    this.#messageLeft = messageLeft;
  }

  get queued(): number {
    return this.#waitingBytes + this.#stream.writableLength;
  }

  write(head: Uint8Array, segments: readonly Uint8Array[]): void {
    const last = segments.length;
    this.#add({ bytes: head, endsMessage: last === 0 });
    for (const [index, bytes] of segments.entries()) this.#add({ bytes, endsMessage: index === last - 1 });
    this.#advance();
  }

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

  /** The next bytes that wait, of one buffer and at most so many. */
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

  readonly #sliceLeft = (): void => {
    this.#writing = false;
    const left = this.#leaving;
    this.#leaving = 0;
    if (this.#stream.destroyed) this.#clear();
    for (let messages = 0; messages < left; messages++) this.#messageLeft();
    this.#advance();
  };

  #clear(): void {
    this.#waiting = [];
    this.#next = 0;
    this.#waitingBytes = 0;
  }
}
