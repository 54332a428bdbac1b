import { expect, test } from "vitest";
import { xdsLimits } from "./xds-limits.ts";

test("these limits bound the input from a client", () => {
  const { nodeBytes, names, errorText, rejections } = xdsLimits;
  expect([nodeBytes.most, names.most, errorText.most, rejections.most]).toEqual([262_144, 100_000, 4_096, 1_000]);
  expect([nodeBytes.unit, names.unit, errorText.unit, rejections.unit]).toEqual(["bytes", "count", "count", "count"]);
});

test.each(Object.entries(xdsLimits))("the limit %s documents its scope and its reason", (_name, { of, why }) => {
  expect([of, why]).toEqual([expect.stringMatching(/\w/u), expect.stringMatching(/\w/u)]);
});
