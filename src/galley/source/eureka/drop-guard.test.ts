import { expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { type Applications, instancesOf, noApplications, withListing } from "./applications.ts";
import { DropGuard } from "./drop-guard.ts";
import type { EurekaInstance } from "./eureka-instance.ts";

function instance(id: string): EurekaInstance {
  return {
    app: "A",
    id,
    hostname: id,
    address: "10.0.0.1",
    status: "UP",
    inService: true,
    port: undefined,
    securePort: undefined,
    metadata: {},
  };
}

function applications(...ids: readonly string[]): Applications {
  const listed = ids.map((id) => ({ instance: instance(id), gone: false }));
  return withListing(noApplications, { hashcode: undefined, listed, issues: new Map() });
}

function rig(maxDrop = 0.5, graceMs = 1000) {
  const clock = new FakeClock();
  const guard = new DropGuard({ clock, maxDrop, graceMs });
  const admit = (listed: Applications, gone: readonly EurekaInstance[] = []) =>
    Array.from(instancesOf(guard.admit(listed, gone)), ({ id }) => id).toSorted();
  return { clock, guard, admit };
}

test("a small drop takes effect at once", () => {
  const { guard, admit } = rig();
  admit(applications("1", "2", "3", "4"));
  expect(admit(applications("3", "4"))).toEqual(["3", "4"]);
  expect(guard.held).toBe(0);
});

test("a large drop takes effect only after all were missing for a while", () => {
  const { clock, guard, admit } = rig();
  admit(applications("1", "2", "3", "4"));
  expect(admit(applications("4", "5"))).toEqual(["1", "2", "3", "4", "5"]);
  clock.advance(999);
  expect(admit(applications("4", "5"))).toEqual(["1", "2", "3", "4", "5"]);
  expect(guard.held).toBe(3);
  clock.advance(1);
  expect(admit(applications("4", "5"))).toEqual(["4", "5"]);
});

test("instances that return in time stay, and the others go", () => {
  const { clock, admit } = rig();
  admit(applications("1", "2", "3"));
  expect(admit(noApplications)).toEqual(["1", "2", "3"]);
  expect(admit(applications("2"))).toEqual(["1", "2", "3"]);
  clock.advance(1000);
  expect(admit(applications("2"))).toEqual(["2"]);
});

test("without grace, one more answer is needed", () => {
  const { admit } = rig(0.5, 0);
  admit(applications("1", "2"));
  expect(admit(noApplications)).toEqual(["1", "2"]);
  expect(admit(noApplications)).toEqual([]);
});

test("instances reported as deleted are removed, however many", () => {
  const { guard, admit } = rig();
  admit(applications("1", "2"));
  expect(guard.isDrop(noApplications)).toBe(true);
  expect(admit(noApplications, [instance("1"), instance("2")])).toEqual([]);
});

test("a share of one allows everything to vanish", () => {
  const { admit } = rig(1);
  admit(applications("1", "2"));
  expect(admit(noApplications)).toEqual([]);
});
