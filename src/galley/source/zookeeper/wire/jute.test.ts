import { expect, test } from "vitest";
import { noNode, readHead } from "./answers.ts";
import { JuteReader } from "./jute.ts";

/** An answer as ZooKeeper writes it: its size, a number, a transaction, an error, then what it brings. */
function answer(error: number, brought: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(20);
  head.writeInt32BE(16 + brought.length, 0);
  head.writeInt32BE(error, 16);
  return Buffer.concat([head, brought]);
}

function data(announced: number, bytes: number): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeInt32BE(announced, 0);
  return Buffer.concat([length, Buffer.alloc(bytes)]);
}

/** The number of bytes of data in an answer. */
function dataIn(bytes: Buffer): number {
  const reader = new JuteReader(bytes, 4);
  return readHead(reader).error === 0 ? reader.buffer().length : 0;
}

test.each([
  ["a refusal", answer(noNode), 0],
  ["data", answer(0, data(3, 3)), 3],
  ["a node without data", answer(0, data(-1, 0)), 0],
])("an answer that is %s is accepted", (_, taken, length) => {
  expect(dataIn(taken)).toBe(length);
});

test("an answer that announces more data than it has is refused", () => {
  expect(() => dataIn(answer(0, data(4, 3)))).toThrow("announces 4 bytes of data");
});
