import { expect, test } from "vitest";
import { Cell } from "./cell.ts";
import { SettledCommit } from "./commit.ts";

test("a commit names the collections that changed or became synced, and sorts changes by key", () => {
  const pods = new Cell<number>("pods", Object.is);
  const nodes = new Cell<number>("nodes", Object.is);
  pods.write("b", 2);
  pods.write("a", 1);
  nodes.markSynced();
  const commit = new SettledCommit(
    7,
    new Map([
      [pods, pods.takeChanges()],
      [nodes, nodes.takeChanges()],
    ]),
  );
  expect(commit).toMatchObject({ sequence: 7, collections: ["pods", "nodes"], newlySynced: new Set(["nodes"]) });
  const changes = commit.changesOf(pods);
  expect(changes.map(({ key }) => key)).toEqual(["a", "b"]);
  expect(commit.changesOf(pods)).toBe(changes);
  expect(commit.changesOf(nodes)).toEqual([]);
  expect(commit.changesOf(new Cell("stranger", Object.is))).toEqual([]);
});
