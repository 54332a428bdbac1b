import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seed } from "../../testing/random/seed.ts";
import {
  compareHostnames,
  coveringPatterns,
  fullHostname,
  hostnameCovers,
  hostnamesMatch,
  intersectHosts,
} from "./hostname.ts";

describe("hostnames", () => {
  test.each([
    ["reviews", "reviews.shop.svc.cluster.local"],
    ["reviews.prod", "reviews.prod"],
    ["example.com", "example.com"],
    ["*", "*"],
    ["*-dev", "*-dev"],
    ["10.0.0.1", "10.0.0.1"],
    ["::1", "::1"],
    ["", ""],
  ])("%j in namespace shop is %j in full", (host, full) => {
    expect(fullHostname(host, "shop", "cluster.local")).toBe(full);
  });

  test("without a domain a short name gets its namespace only", () => {
    expect(fullHostname("reviews", "shop", "")).toBe("reviews.shop");
  });

  test.each([
    ["foo.com", "foo.com", true],
    ["*.foo.com", "a.foo.com", true],
    ["*.foo.com", "a.b.foo.com", true],
    ["*.foo.com", "foo.com", false],
    ["*.com", "*.foo.com", true],
    ["*.foo.com", "*.com", false],
    ["*", "*.foo.com", true],
    ["*-dev.foo.com", "a-dev.foo.com", true],
    ["*.foo.com", "a.bar.com", false],
    ["foo.com", "*.foo.com", false],
  ])("%s covers %s: %s", (outer, inner, covers) => {
    expect(hostnameCovers(outer, inner)).toBe(covers);
  });

  const hostname = fc
    .array(fc.constantFrom("a", "b", "foo", "com"), { minLength: 1, maxLength: 4 })
    .chain((labels) => fc.constantFrom(labels.join("."), `*.${labels.join(".")}`, `*${labels.join(".")}`, "*"));

  test("matching is symmetric", () => {
    fc.assert(
      fc.property(hostname, hostname, (a, b) => {
        expect(hostnamesMatch(a, b)).toBe(hostnamesMatch(b, a));
      }),
      { seed },
    );
  });

  test("the more specific name comes first", () => {
    const names = ["*", "*.com", "b.foo.com", "*.foo.com", "a.foo.com", "foo.com"];
    const sorted = ["a.foo.com", "b.foo.com", "foo.com", "*.foo.com", "*.com", "*"];
    expect(names.toSorted(compareHostnames)).toEqual(sorted);
  });

  test("a name that is covered by another wildcard comes before it", () => {
    fc.assert(
      fc.property(hostname, hostname, (a, b) => {
        fc.pre(a !== b && hostnameCovers(a, b));
        expect(compareHostnames(b, a)).toBeLessThan(0);
      }),
      { seed },
    );
  });
});

test.each([
  [["*.example.com"], ["a.example.com", "b.org"], ["a.example.com"]],
  [["a.example.com", "b.example.com"], ["*.example.com"], ["a.example.com", "b.example.com"]],
  [["*"], ["*.example.com"], ["*.example.com"]],
  [["*", "a.example.com"], ["a.example.com"], ["a.example.com"]],
  [["example.com"], ["*.example.com"], []],
])("%j and %j meet in %j", (left, right, both) => {
  expect(intersectHosts(left, right)).toEqual(both);
});

test("a name is covered by itself and by every wildcard above it, the closest first", () => {
  expect([...coveringPatterns("a.b.c")]).toEqual(["a.b.c", "*.b.c", "*.c", "*"]);
  expect([...coveringPatterns("*")]).toEqual(["*"]);
});
