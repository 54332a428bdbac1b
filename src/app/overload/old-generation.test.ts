import { expect, test } from "vitest";
import { oldGeneration, oldLimitOf } from "./old-generation.ts";

const mib = 2 ** 20;

test.each([
  [320, ["--max-old-space-size=128"], 128],
  [4_288, [], 4_096],
  [304, ["--max-old-space-size=256", "--max-semi-space-size=16"], 256],
  [352, ["--max_semi_space_size=16", "--max-semi-space-size=32"], 256],
  [400, ["--max-heap-size=400"], 300],
  [100, ["--max-semi-space-size=64"], 25],
  // The containers of 1 and 2 GiB of Node 24.
  [560, [], 512],
  [1_120, [], 1_024],
])("a heap of %i MiB with the flags %j has an old generation of %i MiB", (heap, flags, old) => {
  expect(oldLimitOf(heap * mib, flags) / mib).toBe(old);
});

test("the old generation of this process is in use, and below its limit", () => {
  const { usedBytes, limitBytes } = oldGeneration();
  expect(usedBytes).toBeGreaterThan(mib);
  expect(usedBytes).toBeLessThan(limitBytes);
});
