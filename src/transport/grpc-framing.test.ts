import fc from "fast-check";
import { expect, test } from "vitest";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { seed } from "../testing/random/seed.ts";
import { Deframer, frameHead } from "./grpc-framing.ts";

test("messages survive being cut into chunks anywhere", () => {
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

test("a message within one chunk is handed on without a copy", () => {
  const chunk = Buffer.concat([frameHead(Buffer.from("one"), []), frameHead(Buffer.from("two"), [])]);
  const buffers: ArrayBufferLike[] = [];
  new Deframer(10, (bytes) => buffers.push(bytes.buffer)).push(chunk);
  expect(buffers).toEqual([chunk.buffer, chunk.buffer]);
  expect(buffers.every((buffer) => buffer === chunk.buffer)).toBe(true);
});

test("the head counts the segments behind it", () => {
  const head = frameHead(Buffer.from("ab"), [Buffer.from("cde"), Buffer.from("f")]);
  expect([...head]).toEqual([0, 0, 0, 0, 6, 97, 98]);
});

test.each([
  ["a compressed message", Buffer.of(1, 0, 0, 0, 0), GrpcStatus.UNIMPLEMENTED],
  ["a message above the limit", Buffer.of(0, 0, 0, 0, 11), GrpcStatus.RESOURCE_EXHAUSTED],
])("%s is a fault as soon as its header is there", (_, header, status) => {
  expect(new Deframer(10, () => undefined).push(header)).toMatchObject({ status });
});

test("bytes that stop within a header or a message are told", () => {
  const deframer = new Deframer(10, () => undefined);
  deframer.push(Buffer.of(0, 0, 0));
  expect(deframer.midMessage).toBe(true);
  deframer.push(Buffer.of(0, 1));
  expect(deframer.midMessage).toBe(true);
  deframer.push(Buffer.of(42));
  expect(deframer.midMessage).toBe(false);
});
