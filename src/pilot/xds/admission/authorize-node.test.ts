import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { spiffeId } from "../../../lib/spiffe-id.ts";
import { runs, seed } from "../../../testing/random/seed.ts";
import { authorizeNode } from "./authorize-node.ts";

const reviews = "spiffe://cluster.local/ns/shop/sa/reviews";
const ratings = "spiffe://cluster.local/ns/shop/sa/ratings";

describe("a node with an identity", () => {
  test("of its namespace and service account is accepted, with the first identity that matches", () => {
    expect(authorizeNode({ namespace: "shop", serviceAccount: "ratings" }, [reviews, ratings])).toEqual({
      type: "authorized",
      identity: { trustDomain: "cluster.local", namespace: "shop", serviceAccount: "ratings" },
    });
    expect(authorizeNode({ namespace: "shop", serviceAccount: "" }, [reviews, ratings])).toMatchObject({
      identity: { serviceAccount: "reviews" },
    });
  });

  test("is not compared in fields that it omits", () => {
    expect(authorizeNode({ namespace: "", serviceAccount: "reviews" }, [reviews])).toMatchObject({
      type: "authorized",
    });
    expect(authorizeNode({ namespace: "", serviceAccount: "" }, [reviews])).toMatchObject({ type: "authorized" });
  });

  test("is not compared by trust domain, which authentication already checked", () => {
    const old = "spiffe://old.example/ns/shop/sa/reviews";
    expect(authorizeNode({ namespace: "shop", serviceAccount: "reviews" }, [old])).toMatchObject({
      identity: { trustDomain: "old.example" },
    });
  });

  test.each([
    [
      "another namespace",
      { namespace: "bank", serviceAccount: "reviews" },
      [reviews],
      `authorization failed: known as ${reviews}, which is not the node's namespace bank and service account reviews`,
    ],
    [
      "another service account",
      { namespace: "shop", serviceAccount: "admin" },
      [reviews, ratings],
      `authorization failed: known as ${reviews}, ${ratings}, which is not the node's namespace shop and service account admin`,
    ],
    [
      "an id that names no workload",
      { namespace: "", serviceAccount: "" },
      ["spiffe://cluster.local/workload/reviews"],
      "authorization failed: known as spiffe://cluster.local/workload/reviews, which is not the node's identity",
    ],
    [
      "none at all",
      { namespace: "shop", serviceAccount: "" },
      [],
      "authorization failed: known as nobody, which is not the node's namespace shop",
    ],
  ])("with %s is denied", (_, claim, identities, message) => {
    expect(authorizeNode(claim, identities)).toEqual({ type: "denied", message });
  });

  test("is accepted exactly when a single identity matches all its fields", () => {
    const name = fc.constantFrom("a", "b", "c");
    const ids = fc.array(fc.record({ trustDomain: fc.constant("mesh"), namespace: name, serviceAccount: name }));
    const claims = fc.record({
      namespace: fc.oneof(name, fc.constant("")),
      serviceAccount: fc.oneof(name, fc.constant("")),
    });
    fc.assert(
      fc.property(claims, ids, (claim, all) => {
        const fits = all.some(
          (id) =>
            [id.namespace, ""].includes(claim.namespace) && [id.serviceAccount, ""].includes(claim.serviceAccount),
        );
        expect(authorizeNode(claim, all.map(spiffeId)).type).toBe(fits ? "authorized" : "denied");
      }),
      { seed, numRuns: runs(200) },
    );
  });
});
