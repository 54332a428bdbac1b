import { expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { SliceSize } from "./slice-size.ts";

const KiB = 1024;

/** The slice sizes when slices take these times to leave. */
function sizes(deadlineMs: number, tookMs: readonly number[]): readonly number[] {
  const clock = new FakeClock();
  const size = new SliceSize(clock, deadlineMs);
  return tookMs.map((ms) => {
    const bytes = size.start();
    clock.advance(ms);
    size.left();
    return bytes / KiB;
  });
}

test("slices grow while they leave quickly, and shrink while they take long", () => {
  expect(sizes(3_200, [0, 100, 100, 100, 100, 100])).toEqual([16, 32, 64, 128, 256, 256]);
  expect(sizes(3_200, [0, 0, 101, 101, 101, 100])).toEqual([16, 32, 64, 32, 16, 16]);
});

test("slices without a deadline grow, however long they take", () => {
  expect(sizes(0, [60_000, 60_000, 60_000])).toEqual([16, 32, 64]);
});
