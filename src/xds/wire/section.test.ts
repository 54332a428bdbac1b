import { expect, test } from "vitest";
import { Section } from "./section.ts";

test("adjacent values are one view of the message", () => {
  const message = Uint8Array.of(1, 2, 3, 4, 5, 6);
  const section = new Section(message);
  section.add(1, 3);
  section.add(3, 5);
  expect([section.size, [...section.bytes]]).toEqual([2, [2, 3, 4, 5]]);
  expect([section.bytes.buffer, section.bytes.byteOffset]).toEqual([message.buffer, 1]);
});

test("values that are not adjacent are joined in their order", () => {
  const section = new Section(Uint8Array.of(1, 2, 3, 4, 5, 6));
  section.add(0, 1);
  section.add(2, 3);
  section.add(3, 4);
  section.add(5, 6);
  expect([section.size, [...section.bytes]]).toEqual([4, [1, 3, 4, 6]]);
});

test("a missing field has no bytes", () => {
  const section = new Section(Uint8Array.of(1, 2));
  expect([section.size, section.bytes.length]).toEqual([0, 0]);
});
