import type { ServerHttp2Stream } from "node:http2";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { runs, seed } from "../testing/random/seed.ts";
import { SlicedWriter } from "./sliced-writer.ts";
import { SliceSize } from "./slice-size.ts";

const firstSlice = 16 * 1024;
const sliceBytes = 256 * 1024;

/** A stream whose socket accepts bytes only when a test calls `drain`. */
class SlowStream {
  readonly written: Uint8Array[] = [];
  readonly #callbacks: (() => void)[] = [];
  writableLength = 0;
  destroyed = false;
  ended = false;

  cork(): void {}
  uncork(): void {}

  write(bytes: Uint8Array, taken?: () => void): void {
    this.written.push(bytes);
    this.writableLength += bytes.length;
    if (taken !== undefined) this.#callbacks.push(taken);
  }

  end(): void {
    this.ended = true;
  }

  /** The socket accepts all written bytes. Returns false when none wait. */
  drain(): boolean {
    this.writableLength = 0;
    const callbacks = this.#callbacks.splice(0);
    for (const taken of callbacks) taken();
    return callbacks.length > 0;
  }
}

function writerOver(stream: SlowStream) {
  const left = { messages: 0 };
  const writer = new SlicedWriter(stream as unknown as ServerHttp2Stream, {
    sliceSize: new SliceSize(new FakeClock(), 30_000),
    onSliceLeft: (messages) => (left.messages += messages),
  });
  return { writer, left };
}

describe("messages", () => {
  test("leave whole, in order and without a copy, at most one slice at a time", () => {
    const sizes = fc.oneof(fc.nat(64), fc.nat(3 * sliceBytes), fc.constantFrom(0, sliceBytes - 1, sliceBytes));
    const messages = fc.array(fc.tuple(fc.nat(40), fc.array(sizes, { maxLength: 5 })), { maxLength: 5 });
    fc.assert(
      fc.property(messages, fc.array(fc.boolean(), { maxLength: 5 }), (all, drains) => {
        const stream = new SlowStream();
        const { writer, left } = writerOver(stream);
        const sent: Uint8Array[] = [];
        let most = 0;
        for (const [index, [head, segments]] of all.entries()) {
          const buffers = [head, ...segments].map((size) => Buffer.alloc(size, index));
          sent.push(...buffers);
          writer.write(buffers[0] ?? Buffer.alloc(0), buffers.slice(1));
          most = Math.max(most, stream.writableLength);
          if (drains[index] === true) stream.drain();
        }
        writer.end();
        while (stream.drain()) most = Math.max(most, stream.writableLength);
        expect(Buffer.concat(stream.written).equals(Buffer.concat(sent))).toBe(true);
        const memory = new Set(sent.map(({ buffer }) => buffer));
        expect(stream.written.every(({ buffer, length }) => length === 0 || memory.has(buffer))).toBe(true);
        expect(most).toBeLessThanOrEqual(sliceBytes);
        expect([left.messages, writer.queued, stream.ended]).toEqual([all.length, 0, true]);
      }),
      { seed, numRuns: runs(100) },
    );
  });

  test("count as queued until they are in the socket", () => {
    const stream = new SlowStream();
    const { writer, left } = writerOver(stream);
    writer.write(Buffer.alloc(5), [Buffer.alloc(firstSlice)]);
    expect(writer.queued).toBe(firstSlice + 5);
    stream.drain();
    expect([writer.queued, left.messages]).toEqual([5, 0]);
    stream.drain();
    expect([writer.queued, left.messages]).toEqual([0, 1]);
  });

  test("are forgotten when the stream dies", () => {
    const stream = new SlowStream();
    const { writer } = writerOver(stream);
    writer.write(Buffer.alloc(5), [Buffer.alloc(3 * sliceBytes)]);
    stream.destroyed = true;
    stream.drain();
    expect([writer.queued, stream.drain()]).toEqual([0, false]);
  });
});
