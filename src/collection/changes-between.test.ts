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
