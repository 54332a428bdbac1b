import fc from "fast-check";
import { expect, test } from "vitest";
import { seed } from "../../testing/random/seed.ts";
import { commonOf, plus, type PushRange, type PushSet, unionOf, without } from "./push-set.ts";

const ranges = fc.array(
  fc.tuple(fc.nat(20), fc.nat(4)).map(([first, more]): PushRange => ({ first, last: first + more })),
  { maxLength: 5 },
);

function numbersIn(set: PushSet): Set<number> {
  return new Set(set.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i)));
}

test("sets of pushes behave as sets of numbers, in disjoint ascending ranges that do not touch", () => {
  fc.assert(
    fc.property(ranges, ranges, (left, right) => {
      const [a, b] = [unionOf(left), unionOf(right)];
      expect(numbersIn(a)).toEqual(numbersIn(left));
      expect(a.every(({ first }, i) => i === 0 || first > (a[i - 1]?.last ?? 0) + 1)).toBe(true);
      expect(plus(a, b)).toEqual(unionOf([...left, ...right]));
      expect(numbersIn(commonOf(a, b))).toEqual(numbersIn(a).intersection(numbersIn(b)));
      expect(numbersIn(without(a, b))).toEqual(numbersIn(a).difference(numbersIn(b)));
    }),
    { seed },
  );
});
