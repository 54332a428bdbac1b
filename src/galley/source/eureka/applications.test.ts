import { expect, test } from "vitest";
import { hashcodeOf, noApplications, withListing } from "./applications.ts";
import type { EurekaInstance, EurekaListing } from "./eureka-instance.ts";

function instance(app: string, id: string, status = "UP"): EurekaInstance {
  const port = { number: 8080, enabled: true };
  return {
    app,
    id,
    hostname: id,
    address: "10.0.0.1",
    status,
    inService: true,
    port,
    securePort: undefined,
    metadata: {},
  };
}

function listing(listed: readonly EurekaInstance[], gone: readonly EurekaInstance[] = []): EurekaListing {
  const all = [
    ...listed.map((one) => ({ instance: one, gone: false })),
    ...gone.map((one) => ({ instance: one, gone: true })),
  ];
  return { hashcode: undefined, listed: all, issues: new Map() };
}

const known = withListing(noApplications, listing([instance("A", "1"), instance("A", "2"), instance("B", "1")]));

test("what changed is taken over what is known", () => {
  const after = withListing(known, listing([instance("A", "2", "DOWN"), instance("C", "1")], [instance("A", "1")]));
  expect(hashcodeOf(after)).toBe("DOWN_1_UP_2_");
  expect([...after.keys()]).toEqual(["A", "B", "C"]);
});

test("a change that is taken twice, or of what is unknown, changes nothing", () => {
  const change = listing([instance("A", "2", "DOWN")], [instance("A", "1"), instance("Z", "9")]);
  const once = withListing(known, change);
  expect(withListing(once, change)).toEqual(once);
  expect(once.has("Z")).toBe(false);
});

test("an application without instances is gone", () => {
  expect([...withListing(known, listing([], [instance("B", "1")])).keys()]).toEqual(["A"]);
});

test("applications that are not mentioned keep their identity", () => {
  const after = withListing(known, listing([instance("A", "1", "DOWN")]));
  expect(after.get("B")).toBe(known.get("B"));
  expect(known.get("A")?.get("1")?.status).toBe("UP");
});

test("the hash code of nothing is empty", () => {
  expect(hashcodeOf(noApplications)).toBe("");
});
