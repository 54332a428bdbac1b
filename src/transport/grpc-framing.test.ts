import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { seed } from "../testing/random/seed.ts";
import { BufferPool } from "../lib/bounded/buffer-pool.ts";
import { Deframer, frameHead } from "./grpc-framing.ts";

test("messages survive any split into chunks", () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 });
  const chunkSizes = fc.infiniteStream(fc.integer({ min: 1, max: 300 }));
  fc.assert(
    fc.property(messages, chunkSizes, (sent, sizes) => {
      const wire = Buffer.concat(sent.map((message) => frameHead(message, [])));
      const received: Uint8Array[] = [];
      const deframer = new Deframer(1000, (bytes) => received.push(Uint8Array.from(bytes)));
      for (let at = 0; at < wire.length; ) {
        const end = at + sizes.next().value;
        expect(deframer.push(wire.subarray(at, end))).toBeUndefined();
        at = end;
      }
      expect(received).toEqual(sent);
      expect(deframer.midMessage).toBe(false);
    }),
    { seed },
  );
});

test("a message within one chunk is passed on without a copy", () => {
  const chunk = Buffer.concat([frameHead(Buffer.from("one"), []), frameHead(Buffer.from("two"), [])]);
  const buffers: ArrayBufferLike[] = [];
  new Deframer(10, (bytes) => buffers.push(bytes.buffer)).push(chunk);
  expect(buffers).toEqual([chunk.buffer, chunk.buffer]);
  expect(buffers.every((buffer) => buffer === chunk.buffer)).toBe(true);
});

test("the head includes the length of the segments after it", () => {
  const head = frameHead(Buffer.from("ab"), [Buffer.from("cde"), Buffer.from("f")]);
  expect([...head]).toEqual([0, 0, 0, 0, 6, 97, 98]);
});

test.each([
  ["a compressed message", Buffer.of(1, 0, 0, 0, 0), GrpcStatus.UNIMPLEMENTED],
  ["a message above the limit", Buffer.of(0, 0, 0, 0, 11), GrpcStatus.RESOURCE_EXHAUSTED],
])("%s is a fault as soon as its header arrives", (_, header, status) => {
  expect(new Deframer(10, () => undefined).push(header)).toMatchObject({ status });
});

test("bytes that stop within a header or a message are reported", () => {
  const deframer = new Deframer(10, () => undefined);
  deframer.push(Buffer.of(0, 0, 0));
  expect(deframer.midMessage).toBe(true);
  deframer.push(Buffer.of(0, 1));
  expect(deframer.midMessage).toBe(true);
  deframer.push(Buffer.of(42));
  expect(deframer.midMessage).toBe(false);
});

test("a message in chunks of one byte takes memory only for received bytes, and keeps none of the chunks", () => {
  const message = Buffer.alloc(1 << 18, "abcdefg");
  const wire = frameHead(message, []);
  const allocate = vi.spyOn(Buffer, "allocUnsafe");
  onTestFinished(() => allocate.mockRestore());
  const received: Buffer[] = [];
  const deframer = new Deframer(4 << 20, (bytes) => received.push(Buffer.from(bytes)));
  // Node passes views of large buffers. A kept view keeps the whole buffer alive.
  const chunk = Buffer.alloc(1);
  let excess = 0;
  for (const [index, byte] of wire.entries()) {
    chunk[0] = byte;
    deframer.push(chunk);
    excess = Math.max(excess, deframer.heldBytes - Math.max(4096, 2 * index));
  }
  expect(excess).toBe(0);
  expect(received.map((each) => each.equals(message))).toEqual([true]);
  expect(deframer.heldBytes).toBe(0);
  const copied = allocate.mock.calls.reduce((sum, [size]) => sum + size, 0);
  expect(copied).toBeLessThanOrEqual(5 * wire.length);
});

test("messages over several chunks use the memory of the messages before them, also on other streams", () => {
  const allocate = vi.spyOn(Buffer, "allocUnsafeSlow");
  onTestFinished(() => allocate.mockRestore());
  const buffers = new BufferPool(1 << 20);
  const received: Buffer[] = [];
  const streams = [1, 2].map(() => new Deframer(1 << 20, (bytes) => received.push(Buffer.from(bytes)), { buffers }));
  const sent = ["a", "b", "c", "d"].map((letter) => Buffer.alloc(60_000, letter));
  for (const [index, message] of sent.entries()) {
    const wire = frameHead(message, []);
    for (let at = 0; at < wire.length; at += 16_384) streams[index % 2]?.push(wire.subarray(at, at + 16_384));
  }
  expect(received).toEqual(sent);
  expect(allocate.mock.calls.map(([size]) => size)).toEqual([16_384, 32_768, 65_536]);
});
