import { expect, test } from "vitest";
import { RecordingDistributor } from "../../testing/recording/recording-distributor.ts";
import { distributeToAll } from "./distributor.ts";
import type { Snapshot } from "./snapshot.ts";

const snapshot: Snapshot = { group: "default", collections: new Map(), version: () => "", resources: () => [] };

test("a snapshot reaches all distributors, and an error of one is thrown afterwards", () => {
  const [first, second] = [new RecordingDistributor(), new RecordingDistributor()];
  const broken = {
    distribute: () => {
      throw new Error("broken");
    },
  };
  distributeToAll([first, second]).distribute(snapshot);
  expect(() => distributeToAll([first, broken, second]).distribute(snapshot)).toThrow(
    "the snapshot default did not reach every distributor",
  );
  expect([first.snapshots, second.snapshots]).toEqual([
    [snapshot, snapshot],
    [snapshot, snapshot],
  ]);
});
