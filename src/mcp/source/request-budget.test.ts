import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RequestBudget } from "./request-budget.ts";

const budgetOf = (perSecond: number, burst: number) => {
  const clock = new FakeClock();
  return { clock, budget: new RequestBudget({ clock, perSecond, burst }) };
};
const take = (budget: RequestBudget, count: number, identity = "a") =>
  Array.from({ length: count }, () => budget.takeOne(identity));

test("a burst passes at once, and further requests wait", () => {
  const { budget } = budgetOf(50, 3);
  expect(take(budget, 5)).toEqual([0, 0, 0, 20, 40]);
});

test("the budget refills with time, up to one burst", () => {
  const { clock, budget } = budgetOf(50, 3);
  take(budget, 3);
  clock.advance(40);
  expect(take(budget, 3)).toEqual([0, 0, 20]);
  clock.advance(60_000);
  expect(take(budget, 4)).toEqual([0, 0, 0, 20]);
});

test("identities have separate budgets", () => {
  const { budget } = budgetOf(50, 1);
  take(budget, 10, "greedy");
  expect(budget.takeOne("modest")).toBe(0);
});

test("an identity with a full budget is forgotten", () => {
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
