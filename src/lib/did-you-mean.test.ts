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
  ])("%s means %s", (word, meant) => {
    expect(didYouMean(word, fields)).toBe(meant);
  });

  test.each(["circuitBreaker", "x", ""])("%j means nothing we know", (word) => {
    expect(didYouMean(word, fields)).toBeUndefined();
  });
});
