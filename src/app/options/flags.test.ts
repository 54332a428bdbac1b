import { describe, expect, test } from "vitest";
import { type Flag, readArguments } from "./flags.ts";

const flags: readonly Flag[] = [
  { name: "xds", type: "value" },
  { name: "output", short: "o", type: "value" },
  { name: "delta", type: "switch" },
];

describe("a command line", () => {
  test("is read in the order it was written", () => {
    expect(readArguments(["a", "--xds", "1", "--delta", "--xds=2", "-o", "json", "--", "--b"], flags)).toEqual([
      { type: "positional", value: "a" },
      { type: "flag", name: "xds", value: "1" },
      { type: "switch", name: "delta" },
      { type: "flag", name: "xds", value: "2" },
      { type: "flag", name: "output", value: "json" },
      { type: "positional", value: "--b" },
    ]);
  });

  test.each([
    [["--xsd", "1"], "unknown flag --xsd; did you mean --xds?"],
    [["--kubernetes"], "unknown flag --kubernetes"],
    [["--xds"], "--xds needs a value"],
    [["--xds", "--delta"], "--xds needs a value"],
    [["--delta=yes"], "--delta takes no value"],
  ])("%j is wrong usage", (args, message) => {
    expect(() => readArguments(args, flags)).toThrow(expect.objectContaining({ code: "bad-option", message }));
  });

  test("may contain a value that starts with a dash, if it is written as --flag=value", () => {
    expect(readArguments(["--xds=-1"], flags)).toEqual([{ type: "flag", name: "xds", value: "-1" }]);
  });
});
