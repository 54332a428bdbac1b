import { beforeEach, describe, expect, test } from "vitest";
import { maxTries, RejectedNames } from "./rejected-names.ts";

const together = { isRetry: false, alone: false };
const retry = { isRetry: true, alone: false };

let rejected: RejectedNames;

beforeEach(() => {
  rejected = new RejectedNames();
});

/** Each batch as its names, with an exclamation mark for changed content. */
const batches = () => rejected.batches.map(({ names, unsent }) => `${names.join()}${unsent ? "!" : ""}`);

describe("names of a rejected answer", () => {
  test("are kept with the client's reason, and are retried by halves, the larger half first", () => {
    rejected.reject(["a", "b", "c", "d", "e"], "no", together);
    expect([...rejected.reasons]).toEqual(["a", "b", "c", "d", "e"].map((name) => [name, "no"]));
    expect([rejected.size, rejected.has("e"), rejected.has("f")]).toEqual([5, true, false]);
    expect(batches()).toEqual(["a,b,c", "d,e"]);
  });

  test("are one batch when only one is left to retry", () => {
    rejected.reject(["a"], "no", together);
    expect(batches()).toEqual(["a"]);
  });

  test("are not retried when the bad one is known", () => {
    rejected.reject(["a"], "no", { isRetry: false, alone: true });
    expect([batches(), rejected.size]).toEqual([[], 1]);
  });

  test("are retried before those of older rejections", () => {
    rejected.reject(["a", "b"], "no", together);
    rejected.reject(["c", "d"], "never", together);
    expect(batches()).toEqual(["c", "d", "a", "b"]);
  });

  test("are retried 64 times in a row and then no more; changes leave anyway", () => {
    expect(maxTries).toBe(64);
    rejected.reject(["a", "b"], "no", together);
    rejected.sent([], ["news"]);
    for (let tries = 1; tries < maxTries; tries++) rejected.reject(["a", "b"], "no", retry);
    expect(batches().length).toBeGreaterThan(1);
    rejected.reject(["a", "b"], "no", retry);
    expect(batches()).toEqual(["news!"]);
    rejected.reject(["c", "d"], "no", together);
    expect(batches()).toEqual(["c", "d", "news!"]);
  });

  test("are not retried when the first rejection is of a retry", () => {
    rejected.reject(["a", "b"], "no", retry);
    expect([batches(), rejected.size]).toEqual([[], 2]);
  });
});

describe("an answer that leaves", () => {
  test("takes its names out of the batches, and removes empty batches", () => {
    rejected.reject(["a", "b", "c", "d"], "no", together);
    rejected.sent(["a", "b", "c"], []);
    expect(batches()).toEqual(["d"]);
  });

  test("sends postponed names next, alone and as changes", () => {
    rejected.reject(["a", "b"], "no", together);
    rejected.sent(["x"], ["b"]);
    expect(batches()).toEqual(["b!", "a"]);
  });
});

describe("names that the client accepts", () => {
  test("are forgotten, in the reasons and in the batches", () => {
    rejected.reject(["a", "b", "c", "d"], "no", together);
    rejected.accept(["a", "c", "d"]);
    expect([[...rejected.reasons.keys()], batches()]).toEqual([["b"], ["b"]]);
  });

  test("stay rejected while a change of them waits for its turn", () => {
    rejected.reject(["a", "b"], "no", together);
    rejected.sent([], ["b"]);
    rejected.accept(["a", "b"]);
    expect([[...rejected.reasons.keys()], batches()]).toEqual([["b"], ["b!"]]);
  });

  test("are all names when the answer listed everything", () => {
    rejected.reject(["a", "b"], "no", together);
    rejected.acceptWhole();
    expect([rejected.size, batches()]).toEqual([0, []]);
  });
});

test("a rejected answer that listed everything keeps all earlier rejections, and no smaller answer leaves", () => {
  rejected.rejectWhole(["a"], "no");
  rejected.rejectWhole(["b"], "never");
  expect([...rejected.reasons]).toEqual([
    ["a", "never"],
    ["b", "never"],
  ]);
  expect(batches()).toEqual([]);
});

test("names without a subscription are forgotten", () => {
  rejected.reject(["a", "b", "c"], "no", together);
  rejected.keepOnly((name) => name === "b");
  expect([[...rejected.reasons.keys()], batches()]).toEqual([["b"], ["b"]]);
});
