import { expect, test } from "vitest";
import { configId } from "../../../../config/config.ts";
import { DomainClaims } from "./domain-claims.ts";

const a = configId("VirtualService", "shop", "a");
const b = configId("VirtualService", "shop", "b");
const c = configId("VirtualService", "shop", "c");

function claims(...services: readonly string[]): DomainClaims {
  return new DomainClaims((hostname) => services.includes(hostname));
}

function wanted(domains: readonly string[], alternates: readonly string[] = []) {
  return { domains, alternates: new Set(alternates) };
}

test("the first claim of a domain wins, later virtual hosts get the rest", () => {
  const claimed = claims();
  expect(claimed.claim("a:80", wanted(["a", "10.0.0.1"]), a)).toEqual(["a", "10.0.0.1"]);
  expect(claimed.claim("b:80", wanted(["b", "10.0.0.1"]), b)).toEqual(["b"]);
  expect(claimed.claim("c:80", wanted(["10.0.0.1"]), c)).toEqual([]);
});

test("a name that is taken gets nothing, and takes nothing from others", () => {
  const claimed = claims();
  claimed.claim("a:80", wanted(["a"]), a);
  expect(claimed.claim("a:80", wanted(["free"]), a)).toEqual([]);
  expect(claimed.claim("b:80", wanted(["free"]), b)).toEqual(["free"]);
});

test("an alternate name yields to a service with that hostname, even a later one", () => {
  const claimed = claims("foo.com", "foo.com.svc.cluster.local");
  expect(claimed.claim("long:80", wanted(["foo.com.svc.cluster.local", "foo.com"], ["foo.com"]), a)).toEqual([
    "foo.com.svc.cluster.local",
  ]);
  expect(claimed.claim("foo.com:80", wanted(["foo.com"]), b)).toEqual(["foo.com"]);
});

test("a list without conflicts stays the same object", () => {
  const { domains, alternates } = wanted(["a", "b"]);
  expect(claims().claim("a:80", { domains, alternates }, a)).toBe(domains);
});

test("a conflict names the earlier owner and the reason", () => {
  const claimed = claims();
  claimed.claim("a:80", wanted(["a", "10.0.0.1"]), a);
  claimed.claim("a:80", wanted(["a"]), b);
  claimed.claim("c:80", wanted(["c", "10.0.0.1"]), c);
  expect(claimed.conflicts).toMatchObject([
    {
      type: "virtual-host",
      about: "a:80",
      winner: a,
      losers: [b],
      reason: expect.stringContaining("oldest") as unknown,
    },
    { type: "domain", about: "10.0.0.1", winner: a, losers: [c] },
  ]);
});

test("repeated claims of one owner and alternates that give way are no conflicts", () => {
  const claimed = claims("foo.com");
  claimed.claim("a:80", wanted(["a", "foo.com"], ["foo.com"]), a);
  claimed.claim("b:80", wanted(["a", "b"]), a);
  expect(claimed.conflicts).toEqual([]);
});
