import { expect, test } from "vitest";
import { type ChainMatch, filterChainMatchOf, matchAll, withMatchableNames, withoutOverlaps } from "./chain-match.ts";

const match = (changes: Partial<ChainMatch>): ChainMatch => ({ ...matchAll, ...changes });

test("a filter chain has each subnet and each server name once", () => {
  const repeated = match({ destinations: ["10.1.0.0/16", "10.1.2.3/16"], serverNames: ["A.com", "a.com", "b.com"] });
  expect(filterChainMatchOf(repeated)).toMatchObject({
    prefixRanges: [{ addressPrefix: "10.1.0.0", prefixLen: 16 }],
    serverNames: ["A.com", "b.com"],
  });
});

test("a filter chain that shares a value of every criterion with an earlier one is left out", () => {
  const chains = [
    match({ serverNames: ["a.com", "b.com"], destinations: ["10.0.0.0/8"] }),
    match({ serverNames: ["B.com"], destinations: ["10.0.0.0/8", "11.0.0.0/8"] }),
    match({ serverNames: ["b.com"], destinations: ["11.0.0.0/8"] }),
    match({ serverNames: ["b.com"], destinations: ["10.0.0.0/8"], transportProtocol: "tls" }),
  ].map((each, index) => ({ index, match: each }));
  expect(withoutOverlaps(chains).map(({ index }) => index)).toEqual([0, 2, 3]);
});

test("names with a wildcard within a label are left out, and chains that have no other", () => {
  const chains = [["*.a.com", "*b.com"], ["*c.com"], []].map((serverNames) => ({ match: match({ serverNames }) }));
  expect(withMatchableNames(chains).map((chain) => chain.match.serverNames)).toEqual([["*.a.com"], []]);
});
