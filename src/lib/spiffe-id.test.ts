import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../testing/random/seed.ts";
import { parseSpiffeId, spiffeId, trustDomainOf } from "./spiffe-id.ts";

const label = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,20}$/);
const ids = fc.record({ trustDomain: label, namespace: label, serviceAccount: label });

describe("a SPIFFE id", () => {
  test("is parsed to the parts used to format it", () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(parseSpiffeId(spiffeId(id))).toEqual(id);
        expect(trustDomainOf(spiffeId(id))).toBe(id.trustDomain);
      }),
      { seed, numRuns: runs(200) },
    );
  });

  test("has only one spelling: a parsed id is formatted to the same text", () => {
    const nearly = fc.tuple(ids.map(spiffeId), fc.nat(60), fc.string({ maxLength: 3 }));
    const texts = fc.oneof(
      fc.string(),
      nearly.map(([id, at, more]) => id.slice(0, at) + more + id.slice(at)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const id = parseSpiffeId(text);
        expect(id === undefined ? text : spiffeId(id)).toBe(text);
      }),
      { seed, numRuns: runs(500) },
    );
  });

  test.each([
    ["a trust domain alone", "spiffe://cluster.local"],
    ["another path", "spiffe://cluster.local/workload/reviews"],
    ["a segment more", "spiffe://cluster.local/ns/shop/sa/reviews/x"],
    ["a segment less", "spiffe://cluster.local/ns/shop/sa"],
    ["an empty namespace", "spiffe://cluster.local/ns//sa/reviews"],
    ["an empty account", "spiffe://cluster.local/ns/shop/sa/"],
    ["another scheme", "https://cluster.local/ns/shop/sa/reviews"],
    ["a shouted scheme", "SPIFFE://cluster.local/ns/shop/sa/reviews"],
    ["an escape", "spiffe://cluster.local/ns/shop/sa/a%2Fb"],
    ["a query", "spiffe://cluster.local/ns/shop/sa/reviews?x"],
    ["a user and a port", "spiffe://user@cluster.local:1/ns/shop/sa/reviews"],
    ["a line more", "spiffe://cluster.local/ns/shop/sa/reviews\n"],
  ])("is not in Istio's form with %s", (_, text) => {
    expect(parseSpiffeId(text)).toBeUndefined();
  });

  test("in another form still has a trust domain; other texts have none", () => {
    expect(trustDomainOf("spiffe://cluster.local")).toBe("cluster.local");
    expect(trustDomainOf("spiffe://cluster.local/workload/reviews")).toBe("cluster.local");
    expect(trustDomainOf("https://cluster.local/")).toBeUndefined();
    expect(trustDomainOf("spiffe://user@cluster.local/ns/a/sa/b")).toBeUndefined();
  });
});
