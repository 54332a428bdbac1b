import { expect, test } from "vitest";
import { changesBetween } from "./changes-between.ts";
import { CowMap } from "./cow-map.ts";
import { Graph } from "./graph.ts";

const one = { port: 1 };
const two = { port: 2 };

test("without an earlier view every entry is an addition, sorted by key", () => {
  const map = new CowMap<object>();
  map.set("b", two);
  map.set("a", one);
  expect(changesBetween(undefined, map.freeze("ports"))).toEqual([
    { type: "added", key: "a", after: one },
    { type: "added", key: "b", after: two },
  ]);
});

test("the changes between two snapshots are additions, updates and removals, by identity", () => {
  const map = new CowMap<object>();
  map.set("gone", one);
  map.set("kept", one);
  map.set("moved", one);
  const before = map.freeze("ports");
  map.delete("gone");
  map.set("kept", one);
  map.set("moved", two);
  map.set("fresh", two);
  expect(changesBetween(before, map.freeze("ports"))).toEqual([
    { type: "added", key: "fresh", after: two },
    { type: "removed", key: "gone", before: one },
    { type: "updated", key: "moved", before: one, after: two },
  ]);
});

test("a live collection may be compared too", () => {
  const ports = new Graph().input<object>("ports");
  ports.set("a", one);
  ports.set("b", one);
  const before = ports.snapshot();
  ports.delete("a");
  ports.set("b", two);
  expect(changesBetween(before, ports)).toEqual([
    { type: "removed", key: "a", before: one },
    { type: "updated", key: "b", before: one, after: two },
  ]);
});

test("the changes between snapshots with different numbers of shards are the same", () => {
  const map = new CowMap<object>();
  for (let index = 0; index < 30; index++) map.set(`port-${index}`, one);
  const before = map.freeze("ports");
  map.delete("port-7");
  map.set("port-8", two);
  for (let index = 100; index < 1_100; index++) map.set(`port-${index}`, one);
  const after = map.freeze("ports");
  const types = changesBetween(before, after).map(({ type, key }) => (type === "added" ? type : `${type} ${key}`));
  expect(types.filter((type) => type !== "added")).toEqual(["removed port-7", "updated port-8"]);
  expect(types.filter((type) => type === "added")).toHaveLength(1_000);
  expect(changesBetween(after, before)).toHaveLength(1_002);
});
