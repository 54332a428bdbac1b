import { expect, test } from "vitest";
import { planFleet } from "./plan.ts";

const shares = { routers: 0.1, grpc: 0.2, delta: 0.5, slow: 0.02, nack: 0.01, reconnect: 0.05 };

test("every share of a fleet is met", () => {
  const fleet = planFleet(1000, shares);
  const count = (what: (proxy: (typeof fleet)[number]) => boolean) => fleet.filter(what).length;
  expect(count(({ kind }) => kind === "router")).toBe(100);
  expect(count(({ kind }) => kind === "grpc")).toBe(200);
  expect(count(({ mode }) => mode === "delta")).toBe(500);
  expect([count(({ slow }) => slow), count(({ rejects }) => rejects)]).toEqual([20, 10]);
  expect(count(({ reconnects }) => reconnects)).toBe(50);
});

test("shares are independent of each other, and the roles are the same in every run", () => {
  const fleet = planFleet(1000, { ...shares, slow: 0.5 });
  const both = fleet.filter(({ mode, slow }) => mode === "delta" && slow).length;
  expect(both).toBeGreaterThan(200);
  expect(both).toBeLessThan(300);
  expect(planFleet(1000, { ...shares, slow: 0.5 })).toEqual(fleet);
});
