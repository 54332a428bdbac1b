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

test("changes replace known instances", () => {
  const after = withListing(known, listing([instance("A", "2", "DOWN"), instance("C", "1")], [instance("A", "1")]));
  expect(hashcodeOf(after)).toBe("DOWN_1_UP_2_");
  expect([...after.keys()]).toEqual(["A", "B", "C"]);
});

test("a repeated change, or one of an unknown instance, changes nothing", () => {
  const change = listing([instance("A", "2", "DOWN")], [instance("A", "1"), instance("Z", "9")]);
  const once = withListing(known, change);
  expect(withListing(once, change)).toEqual(once);
  expect(once.has("Z")).toBe(false);
});

test("an application without instances is removed", () => {
  expect([...withListing(known, listing([], [instance("B", "1")])).keys()]).toEqual(["A"]);
});

test("unmentioned applications keep their identity", () => {
  const after = withListing(known, listing([instance("A", "1", "DOWN")]));
  expect(after.get("B")).toBe(known.get("B"));
  expect(known.get("A")?.get("1")?.status).toBe("UP");
});

test("the hash code of an empty registry is empty", () => {
  expect(hashcodeOf(noApplications)).toBe("");
});
