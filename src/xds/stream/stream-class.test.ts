import { expect, test } from "vitest";
import type { Lease } from "../resource-source.ts";
import { StreamClass } from "./stream-class.ts";

/** A lease that notes how often its name is read. */
function lease(id: string, reads: string[]): Lease {
  return {
    get id() {
      reads.push(id);
      return id;
    },
    target: [],
    end: () => undefined,
  };
}

function watching(leases: readonly Lease[]) {
  return new Map(leases.map((lease, index) => [`type ${index}`, { lease }]));
}

test("the names of leases are read once, until a lease changes", () => {
  const reads: string[] = [];
  const [clusters, routes, others] = ["clusters", "routes", "others"].map((id) => lease(id, reads));
  const stream = new StreamClass();
  const leases = [clusters, routes].flatMap((each) => each ?? []);
  const first = stream.idOf(watching(leases));
  for (let push = 0; push < 10; push++) expect(stream.idOf(watching(leases))).toBe(first);
  expect(reads).toEqual(["clusters", "routes"]);
  const changed = [clusters, others].flatMap((each) => each ?? []);
  expect(stream.idOf(watching(changed))).not.toBe(first);
  expect(stream.idOf(watching(leases))).toBe(first);
});

function idOf(...ids: readonly string[]): string {
  return new StreamClass().idOf(watching(ids.map((id) => lease(id, []))));
}

test("names that only joined are equal are of different classes", () => {
  expect(idOf("a", "b")).not.toBe(idOf("ab"));
  expect(idOf("a", "b")).not.toBe(idOf("b", "a"));
});
