import { expect, test } from "vitest";
import { PacedResult } from "./paced-result.ts";

/** A computation that takes 10 ms of a clock that stands still otherwise. */
function rig() {
  const state = { now: 0, input: {}, computed: 0 };
  const result = new PacedResult({
    subject: () => [state.input],
    compute: async () => {
      state.now += 10;
      return ++state.computed;
    },
    now: () => state.now,
  });
  return { state, result };
}

test("one computation answers all who ask, until its inputs change", async () => {
  const { state, result } = rig();
  expect(await Promise.all([result.get(), result.get()])).toEqual([
    { value: 1, pending: false },
    { value: 1, pending: false },
  ]);
  state.now += 100_000;
  expect(await result.get()).toEqual({ value: 1, pending: false });
  state.input = {};
  expect(await result.get()).toEqual({ value: 2, pending: false });
});

test("changing inputs are computed a small share of the time; between, the answer says that it is old", async () => {
  const { state, result } = rig();
  await result.get();
  for (let ms = 0; ms < 3_200; ms += 10) {
    state.now += 10;
    state.input = {};
    await result.get();
  }
  // Of 3 200 ms, ten computations of 10 ms each.
  expect(state.computed).toBeLessThanOrEqual(11);
  expect(state.computed).toBeGreaterThanOrEqual(9);
});

test("a computation that fails is tried again by the next who asks", async () => {
  let fails = true;
  const compute = async () => {
    if (fails) throw new Error("cannot compute");
    return 1;
  };
  const result = new PacedResult({ subject: () => [], compute, now: () => 0 });
  await expect(result.get()).rejects.toThrow("cannot compute");
  fails = false;
  expect(await result.get()).toEqual({ value: 1, pending: false });
});
