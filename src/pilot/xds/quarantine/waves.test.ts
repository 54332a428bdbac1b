import { expect, test } from "vitest";
import { waveSizes } from "./waves.ts";

test.each([
  [0, [1]],
  [1, [1]],
  [2, [1, 2]],
  [5, [1, 3, 5]],
  [30, [1, 3, 15, 30]],
  [1000, [1, 100, 500, 1000]],
])("of %i proxies, %j have the object after each wave", (proxies, sizes) => {
  expect(waveSizes(proxies)).toEqual(sizes);
});
