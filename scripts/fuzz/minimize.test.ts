import { expect, test } from "vitest";
import { minimize } from "./minimize.ts";

test("an input is cut down to the bytes that fail, and other bytes become plain", async () => {
  const input = Buffer.from("some text before {bug} and some text after it");
  const kept = await minimize(input, async (shorter) => /\{...\}/u.test(shorter.toString()));
  expect(kept.toString()).toBe("{aaa}");
});

test("an input that fails only as a whole stays", async () => {
  const input = Buffer.from("abc");
  expect(await minimize(input, async (shorter) => shorter.equals(input))).toEqual(input);
});

test("an input with endless ways to fail is tried a bounded number of times", async () => {
  let tries = 0;
  const count = async () => {
    tries++;
    return false;
  };
  await minimize(Buffer.alloc(20_000, 1), count);
  expect(tries).toBe(4000);
});
