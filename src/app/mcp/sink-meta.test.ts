import { expect, test } from "vitest";
import { parseSinkMeta } from "./sink-meta.ts";

test.each([
  [[], {}],
  [["cluster=c1"], { cluster: ["c1"] }],
  [["cluster=c1", "cluster=c2"], { cluster: ["c1", "c2"] }],
  [["cluster=c1", "Zone=a"], { cluster: ["c1"], zone: ["a"] }],
])("%j are pairs", (pairs, meta) => {
  expect(parseSinkMeta(pairs)).toEqual(meta);
});

test.each(["novalue", "a=b=c", "=v", "k=", "two words=v", ":path=/"])("%s is not a pair", (pair) => {
  expect(() => parseSinkMeta([pair])).toThrow(`--mcp-sink-meta: expected KEY=VALUE, found "${pair}"`);
});
