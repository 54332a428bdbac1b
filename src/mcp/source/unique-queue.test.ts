import { describe, expect, test } from "vitest";
import { UniqueQueue } from "./unique-queue.ts";

const queueOf = (depth: number) => {
  const heard: string[] = [];
  const queue = new UniqueQueue({ depth, onReady: () => heard.push("ready"), onDone: () => heard.push("done") });
  return { queue, heard };
};
const drain = (queue: UniqueQueue) => Array.from({ length: queue.size }, () => queue.dequeue());

describe("a queue of keys", () => {
  test("returns them in order of arrival, and nothing when it is empty", () => {
    const { queue } = queueOf(3);
    expect(queue.dequeue()).toBeUndefined();
    for (const key of ["b", "a", "c"]) expect(queue.enqueue(key)).toBe(true);
    expect(drain(queue)).toEqual(["b", "a", "c"]);
    expect(queue.dequeue()).toBeUndefined();
  });

  test("keeps the place of a queued key, even when it is full", () => {
    const { queue, heard } = queueOf(2);
    queue.enqueue("a");
    queue.enqueue("b");
    expect(queue.enqueue("a")).toBe(true);
    expect(heard).toEqual(["ready", "ready"]);
    expect(drain(queue)).toEqual(["a", "b"]);
  });

  test("refuses a new key when it is full", () => {
    const { queue } = queueOf(1);
    queue.enqueue("a");
    expect(queue.enqueue("b")).toBe(false);
    expect(drain(queue)).toEqual(["a"]);
    expect(queue.enqueue("b")).toBe(true);
  });

  test("puts a returning key behind the queued ones", () => {
    const { queue } = queueOf(3);
    for (const key of ["a", "b"]) queue.enqueue(key);
    expect(queue.dequeue()).toBe("a");
    queue.enqueue("a");
    expect(drain(queue)).toEqual(["b", "a"]);
  });

  test("wraps around its ring without losing or repeating anything", () => {
    const { queue } = queueOf(3);
    for (let round = 0; round < 20; round++) {
      queue.enqueue(`x${round}`);
      queue.enqueue(`y${round}`);
      expect(drain(queue)).toEqual([`x${round}`, `y${round}`]);
    }
    expect(queue.size).toBe(0);
  });

  test("accepts nothing after a close, releases the queued keys, and reports the end once", () => {
    const { queue, heard } = queueOf(2);
    queue.enqueue("a");
    queue.close();
    queue.close();
    expect(queue.enqueue("b")).toBe(false);
    expect(queue.enqueue("a")).toBe(false);
    expect(drain(queue)).toEqual(["a"]);
    expect(heard).toEqual(["ready", "done"]);
  });

  test("dumps itself in the form that Istio's tools know, with one slot more than its depth", () => {
    const { queue } = queueOf(3);
    for (const key of ["b", "a"]) queue.enqueue(key);
    queue.dequeue();
    expect(queue.dump()).toEqual({
      closed: false,
      queued_set: ["a"],
      queue: ["", "a", "", ""],
      head: 1,
      tail: 2,
      max_depth: 3,
    });
  });
});
