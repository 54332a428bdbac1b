import { describe, expect, test } from "vitest";
import { UniqueQueue } from "./unique-queue.ts";

const queueOf = (depth: number) => {
  const heard: string[] = [];
  const queue = new UniqueQueue({ depth, onReady: () => heard.push("ready"), onDone: () => heard.push("done") });
  return { queue, heard };
};
const drain = (queue: UniqueQueue) => {
  const keys: string[] = [];
  for (let key = queue.dequeue(); key !== undefined; key = queue.dequeue()) keys.push(key);
  return keys;
};

describe("a queue of keys", () => {
  test("gives them back in the order they came, and nothing when there is none", () => {
    const { queue } = queueOf(3);
    expect(queue.dequeue()).toBeUndefined();
    for (const key of ["b", "a", "c"]) expect(queue.enqueue(key)).toBe(true);
    expect(drain(queue)).toEqual(["b", "a", "c"]);
    expect(queue.dequeue()).toBeUndefined();
  });

  test("keeps the place of a key that waits, also when it is full", () => {
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

  test("puts a key that left behind those that wait", () => {
    const { queue } = queueOf(3);
    for (const key of ["a", "b"]) queue.enqueue(key);
    expect(queue.dequeue()).toBe("a");
    queue.enqueue("a");
    expect(drain(queue)).toEqual(["b", "a"]);
  });

  test("goes round its ring without losing or repeating anything", () => {
    const { queue } = queueOf(3);
    for (let round = 0; round < 20; round++) {
      queue.enqueue(`x${round}`);
      queue.enqueue(`y${round}`);
      expect(drain(queue)).toEqual([`x${round}`, `y${round}`]);
    }
    expect(queue.size).toBe(0);
  });

  test("takes nothing once it is closed, lets out what waits, and says so once", () => {
    const { queue, heard } = queueOf(2);
    queue.enqueue("a");
    queue.close();
    queue.close();
    expect(queue.enqueue("b")).toBe(false);
    expect(queue.enqueue("a")).toBe(false);
    expect(drain(queue)).toEqual(["a"]);
    expect(heard).toEqual(["ready", "done"]);
  });

  test("shows itself with the keys that tools know, one slot more than its depth", () => {
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
