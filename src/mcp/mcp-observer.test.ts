import { expect, test } from "vitest";
import { streamFacts } from "./mcp-observer.ts";

test("the facts of a stream name every authenticated identity, and none without authentication", () => {
  expect(streamFacts(7, { address: "10.0.0.1:1", identities: ["spiffe://a", "spiffe://b"] })).toEqual({
    id: 7,
    peer: "10.0.0.1:1",
    identity: "spiffe://a spiffe://b",
  });
  expect(streamFacts(8, { address: "10.0.0.1:2" })).toEqual({ id: 8, peer: "10.0.0.1:2", identity: "" });
});
