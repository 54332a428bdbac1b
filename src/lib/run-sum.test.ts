import { expect, test } from "vitest";
import { digestOfRun, RunSum } from "./run-sum.ts";

const texts = Array.from({ length: 2_000 }, (_, index) => `outbound|80||service-${index}.shop.svc.cluster.local`);

function sumOf(runs: readonly string[]): bigint {
  const sum = new RunSum(Buffer.from(runs.join("")));
  let at = 0;
  for (const { length } of runs) sum.add(at, (at += length));
  return sum.digest;
}

test("a sum is that of the digests of its runs, in any order", () => {
  const single = texts.reduce((sum, text) => sum + digestOfRun(text), 0n);
  expect([sumOf(texts), sumOf(texts.toReversed())]).toEqual([single, single]);
  expect([sumOf([]), digestOfRun("a") === digestOfRun(Buffer.from("a"))]).toEqual([0n, true]);
});

test("runs that differ in one bit, in their length or in their borders have other digests", () => {
  const bytes = Buffer.from("0123456789");
  const changed = Array.from({ length: 8 * bytes.length }, (_, bit) => {
    const other = Buffer.from(bytes);
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return other;
  });
  const lengths = Array.from({ length: 20 }, (_, length) => Buffer.alloc(length));
  const all = [bytes, ...changed, ...lengths, ...texts];
  expect(new Set(all.map((run) => digestOfRun(run))).size).toBe(all.length);
  expect(sumOf(["ab", "c"])).not.toBe(sumOf(["a", "bc"]));
});

test("both halves of a digest are spread evenly", () => {
  const halves = texts.flatMap((text) => [digestOfRun(text) >> 64n, digestOfRun(text) & 0xffff_ffffn]);
  for (let bit = 0n; bit < 32n; bit++) {
    for (const half of [0, 1]) {
      const set = halves.filter((value, index) => index % 2 === half && ((value >> bit) & 1n) === 1n).length;
      expect(Math.abs(set - texts.length / 2)).toBeLessThan(texts.length / 10);
    }
  }
});
