import { expect, test } from "vitest";
import { objectBytes, typicalBytes } from "./object-bytes.ts";

const kind = "EnvoyFilter";
const perItem = 6_000;

test.each<[what: string, spec: unknown, items: number]>([
  ["an object without lists", { host: "a" }, 0],
  ["names, which are no messages", { hosts: ["a", "b"] }, 0],
  ["ports and endpoints", { ports: [{}], endpoints: [{}, {}] }, 3],
  ["routes, each as often as it has matches", { http: [{ match: [{}, {}, {}], route: [{}] }, { route: [{}] }] }, 4],
  ["Endpoints, by their addresses", { subsets: [{ addresses: [{}, {}], ports: [{}] }] }, 2],
  ["no spec", undefined, 0],
])("the estimate counts %s", (_, spec, items) => {
  expect(objectBytes({ kind, spec })).toBe(typicalBytes + items * perItem);
});

test("the estimate of an object with very many endpoints needs no call stack", () => {
  const endpoints = Array.from({ length: 200_000 }, () => ({}));
  expect(objectBytes({ kind, spec: { subsets: [{ addresses: endpoints }] } })).toBe(typicalBytes + 200_000 * perItem);
});
