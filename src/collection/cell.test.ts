import { describe, expect, test } from "vitest";
import { deepEqual } from "../lib/equal.ts";
import { Cell } from "./cell.ts";

describe("a cell", () => {
  test("collects changes until they are taken", () => {
    const cell = new Cell<string>("names", Object.is);
    cell.write("a", "Anna");
    cell.write("b", "Berta");
    cell.takeChanges();
    cell.write("a", "Ada");
    cell.remove("b");
    cell.remove("c");
    const changes = [
      { type: "updated", key: "a", before: "Anna", after: "Ada" },
      { type: "removed", key: "b", before: "Berta" },
    ];
    expect(cell.changes).toEqual(changes);
    expect(cell.takeChanges()).toEqual({ changes, newlySynced: false });
    expect(cell.changes).toEqual([]);
  });

  test("keeps the object it has when an equal one is written, and returns the kept object", () => {
    const cell = new Cell<object>("ports", deepEqual);
    const first = { port: 80 };
    expect(cell.write("a", first)).toBe(first);
    cell.takeChanges();
    expect(cell.write("a", { port: 80 })).toBe(first);
    expect(cell.get("a")).toBe(first);
    expect(cell.changes).toEqual([]);
  });

  test("gives the same view until something changes", () => {
    const cell = new Cell<number>("numbers", Object.is);
    const empty = cell.snapshot();
    expect(cell.snapshot()).toBe(empty);
    cell.write("a", 1);
    const one = cell.snapshot();
    expect(one).not.toBe(empty);
    cell.write("a", 1);
    expect(cell.snapshot()).toBe(one);
    expect([empty.size, one.size, one.name]).toEqual([0, 1, "numbers"]);
  });

  test("becomes synced once", () => {
    const cell = new Cell<number>("numbers", Object.is);
    expect(cell.synced).toBe(false);
    cell.markSynced();
    expect(cell.takeChanges().newlySynced).toBe(true);
    cell.markSynced();
    expect(cell.takeChanges().newlySynced).toBe(false);
    expect(cell.synced).toBe(true);
  });

  test("reverts to synced only if it was synced before the settle", () => {
    const cell = new Cell<number>("numbers", Object.is);
    cell.markSynced();
    cell.revert();
    expect(cell.synced).toBe(false);
    cell.markSynced();
    cell.takeChanges();
    cell.write("a", 1);
    cell.revert();
    expect([cell.synced, cell.size, cell.changes]).toEqual([true, 0, []]);
    expect(cell.takeChanges()).toEqual({ changes: [], newlySynced: false });
  });
});
