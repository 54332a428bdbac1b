import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RequestBudget } from "./request-budget.ts";

const budgetOf = (perSecond: number, burst: number) => {
  const clock = new FakeClock();
  return { clock, budget: new RequestBudget({ clock, perSecond, burst }) };
};
const take = (budget: RequestBudget, count: number, identity = "a") =>
  Array.from({ length: count }, () => budget.takeOne(identity));

test("a burst costs nothing, and what comes on top of it waits its turn", () => {
  const { budget } = budgetOf(50, 3);
  expect(take(budget, 5)).toEqual([0, 0, 0, 20, 40]);
});

test("what was spent is earned back with time, and never more than a burst", () => {
  const { clock, budget } = budgetOf(50, 3);
  take(budget, 3);
  clock.advance(40);
  expect(take(budget, 3)).toEqual([0, 0, 20]);
  clock.advance(60_000);
  expect(take(budget, 4)).toEqual([0, 0, 0, 20]);
});

test("one identity does not pay for another", () => {
  const { budget } = budgetOf(50, 1);
  take(budget, 10, "greedy");
  expect(budget.takeOne("modest")).toBe(0);
});

test("whoever has earned all back is forgotten", () => {
  const { clock, budget } = budgetOf(50, 2);
  take(budget, 2, "a");
  clock.advance(20);
  take(budget, 1, "b");
  clock.advance(20);
  budget.sweep();
  expect(budget.size).toBe(0);
  take(budget, 2, "a");
  budget.sweep();
  expect(budget.size).toBe(1);
});
