import { expect, test } from "vitest";
import { leastBytes, objectBytes } from "./object-bytes.ts";

const perItem = 3_500;

test.each<[what: string, spec: unknown, items: number]>([
  ["an object without lists", { host: "a" }, 0],
  ["names, which are no messages", { hosts: ["a", "b"] }, 0],
  ["ports and endpoints", { ports: [{}], endpoints: [{}, {}] }, 3],
  ["routes, each as often as it has matches", { http: [{ match: [{}, {}, {}], route: [{}] }, { route: [{}] }] }, 4],
  ["Endpoints, by their addresses", { subsets: [{ addresses: [{}, {}], ports: [{}] }] }, 2],
  ["no spec", undefined, 0],
])("the estimate counts %s", (_, spec, items) => {
  expect(objectBytes({ spec })).toBe(leastBytes + items * perItem);
});

test("the estimate of an object with very many endpoints needs no call stack", () => {
  const endpoints = Array.from({ length: 200_000 }, () => ({}));
  expect(objectBytes({ spec: { subsets: [{ addresses: endpoints }] } })).toBe(leastBytes + 200_000 * perItem);
});
