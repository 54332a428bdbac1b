import { expect, test } from "vitest";
import { DomainClaims } from "./domain-claims.ts";

function claims(...services: readonly string[]): DomainClaims {
  return new DomainClaims((hostname) => services.includes(hostname));
}

function wanted(domains: readonly string[], alternates: readonly string[] = []) {
  return { domains, alternates: new Set(alternates) };
}

test("the first who asks for a domain gets it, later ones the rest", () => {
  const claimed = claims();
  expect(claimed.claim("a:80", wanted(["a", "10.0.0.1"]))).toEqual(["a", "10.0.0.1"]);
  expect(claimed.claim("b:80", wanted(["b", "10.0.0.1"]))).toEqual(["b"]);
  expect(claimed.claim("c:80", wanted(["10.0.0.1"]))).toEqual([]);
});

test("a name that is taken gets nothing, and takes nothing from others", () => {
  const claimed = claims();
  claimed.claim("a:80", wanted(["a"]));
  expect(claimed.claim("a:80", wanted(["free"]))).toEqual([]);
  expect(claimed.claim("b:80", wanted(["free"]))).toEqual(["free"]);
});

test("an alternate gives way to a service that really has that name, even one that comes later", () => {
  const claimed = claims("foo.com", "foo.com.svc.cluster.local");
  expect(claimed.claim("long:80", wanted(["foo.com.svc.cluster.local", "foo.com"], ["foo.com"]))).toEqual([
    "foo.com.svc.cluster.local",
  ]);
  expect(claimed.claim("foo.com:80", wanted(["foo.com"]))).toEqual(["foo.com"]);
});

test("a list that is granted in full is that very list", () => {
  const { domains, alternates } = wanted(["a", "b"]);
  expect(claims().claim("a:80", { domains, alternates })).toBe(domains);
});
