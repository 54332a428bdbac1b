import { describe, expect, test } from "vitest";
import { Cell } from "./cell.ts";
import { KeySet } from "./key-set.ts";
import { ReadIndex, Recorder } from "./tracked.ts";

function podsCell(): Cell<number> {
  const pods = new Cell<number>("pods", Object.is);
  pods.write("a", 1);
  pods.write("b", 2);
  pods.takeChanges();
  return pods;
}

function woken(index: ReadIndex<number>): readonly string[] {
  const readers = new Set<string>();
  index.wake(readers);
  return [...readers].toSorted();
}

describe("a recorder", () => {
  test("remembers the keys that were read, absent ones too", () => {
    const recorder = new Recorder(podsCell());
    expect(recorder.get("a")).toBe(1);
    expect(recorder.get("missing")).toBeUndefined();
    expect([...recorder.keys]).toEqual(["a", "missing"]);
    expect(recorder.all).toBe(false);
  });

  test("remembers that everything was read", () => {
    const recorder = new Recorder(podsCell());
    expect(new Set(recorder.values())).toEqual(new Set([1, 2]));
    expect(recorder.all).toBe(true);
  });

  test("refuses reads once it is sealed", () => {
    const recorder = new Recorder(podsCell());
    recorder.seal();
    expect(() => recorder.get("a")).toThrow("only while it runs");
    expect(() => recorder.values()).toThrow("only while it runs");
  });
});

describe("a read index", () => {
  const nothing = KeySet.of([]);

  test("wakes the readers of a changed key, and the readers of all entries", () => {
    const pods = podsCell();
    const index = new ReadIndex(pods);
    index.remember("of a", { keys: KeySet.of(["a"]), all: false });
    index.remember("of a and b", { keys: KeySet.of(["a", "b"]), all: false });
    index.remember("of all", { keys: KeySet.of(["b"]), all: true });
    index.remember("of nothing", { keys: nothing, all: false });
    expect(woken(index)).toEqual([]);
    pods.write("b", 3);
    expect(woken(index)).toEqual(["of a and b", "of all"]);
  });

  test("wakes every reader of a key", () => {
    const pods = podsCell();
    const index = new ReadIndex(pods);
    for (const reader of ["first", "second"]) index.remember(reader, { keys: KeySet.of(["a"]), all: false });
    pods.write("a", 3);
    expect(woken(index)).toEqual(["first", "second"]);
  });

  test("does not wake a reader that reads nothing any more", () => {
    const pods = podsCell();
    const index = new ReadIndex(pods);
    index.remember("of a", { keys: KeySet.of(["a"]), all: false });
    index.remember("of all", { keys: nothing, all: true });
    for (const reader of ["of a", "of all"]) index.remember(reader, { keys: nothing, all: false });
    pods.write("a", 3);
    expect(woken(index)).toEqual([]);
  });

  test("replaces the earlier reads of a reader", () => {
    const pods = podsCell();
    const index = new ReadIndex(pods);
    pods.write("a", 3);
    index.remember("reader", { keys: KeySet.of(["a"]), all: false });
    index.remember("reader", { keys: KeySet.of(["b"]), all: false });
    expect(woken(index)).toEqual([]);
    index.remember("reader", { keys: nothing, all: true });
    expect(woken(index)).toEqual(["reader"]);
    index.remember("reader", { keys: KeySet.of(["b"]), all: false });
    expect(woken(index)).toEqual([]);
    pods.write("b", 4);
    expect(woken(index)).toEqual(["reader"]);
  });

  test("forgets a reader, and only that one", () => {
    const pods = podsCell();
    const index = new ReadIndex(pods);
    pods.write("a", 3);
    for (const reader of ["first", "second"]) index.remember(reader, { keys: KeySet.of(["a"]), all: false });
    index.remember("of all", { keys: nothing, all: true });
    for (const reader of ["first", "of all", "unknown"]) index.forget(reader);
    expect(woken(index)).toEqual(["second"]);
  });
});
