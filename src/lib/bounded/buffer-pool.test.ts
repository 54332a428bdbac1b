import { expect, test } from "vitest";
import { BufferPool } from "./buffer-pool.ts";

test("a buffer that was given back is taken again for the sizes that it fits closely", () => {
  const pool = new BufferPool(1 << 20);
  const buffer = pool.take(40_000);
  expect(buffer).toHaveLength(65_536);
  pool.give(buffer);
  expect(pool.freeBytes).toBe(65_536);
  expect(pool.take(30_000)).not.toBe(buffer);
  expect(pool.take(65_536)).toBe(buffer);
  expect(pool.take(65_536)).not.toBe(buffer);
  expect(pool.freeBytes).toBe(0);
});

test("a buffer is less than twice as large as needed, and never smaller", () => {
  const pool = new BufferPool(1 << 20);
  for (const bytes of [1, 16_383, 16_384, 16_385, 100_000, 1 << 20, (1 << 20) + 1, 5 << 20]) {
    const { length } = pool.take(bytes);
    expect(length).toBeGreaterThanOrEqual(bytes);
    expect(length).toBeLessThan(2 * bytes + 1);
  }
});

test("small buffers, huge ones, and more than the limit are not kept", () => {
  const pool = new BufferPool(40_000);
  for (const bytes of [100, 2 << 20]) pool.give(pool.take(bytes));
  expect(pool.freeBytes).toBe(0);
  const buffers = [pool.take(20_000), pool.take(20_000)];
  for (const buffer of buffers) pool.give(buffer);
  expect(pool.freeBytes).toBe(32_768);
});
