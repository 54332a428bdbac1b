import { describe, expect, test } from "vitest";
import { didYouMean } from "./did-you-mean.ts";

describe("didYouMean", () => {
  const fields = ["hosts", "gateways", "http", "tls", "tcp", "exportTo"];

  test.each([
    ["host", "hosts"],
    ["htpp", "http"],
    ["hsots", "hosts"],
    ["ExportTo", "exportTo"],
    ["gatways", "gateways"],
  ])("suggests for %s: %s", (word, meant) => {
    expect(didYouMean(word, fields)).toBe(meant);
  });

  test.each(["circuitBreaker", "x", ""])("suggests nothing for %j", (word) => {
    expect(didYouMean(word, fields)).toBeUndefined();
  });
});
