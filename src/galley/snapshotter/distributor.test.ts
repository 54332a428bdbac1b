import { expect, test } from "vitest";
import { RecordingDistributor } from "../../testing/recording/recording-distributor.ts";
import { both } from "./distributor.ts";
import type { Snapshot } from "./snapshot.ts";

const snapshot: Snapshot = { group: "default", collections: new Map(), version: () => "", resources: () => [] };

test("a snapshot reaches everyone, and the failure of one is told afterwards", () => {
  const [first, second] = [new RecordingDistributor(), new RecordingDistributor()];
  const broken = {
    distribute: () => {
      throw new Error("broken");
    },
  };
  both([first, second]).distribute(snapshot);
  expect(() => both([first, broken, second]).distribute(snapshot)).toThrow("default did not reach everyone");
  expect([first.snapshots, second.snapshots]).toEqual([
    [snapshot, snapshot],
    [snapshot, snapshot],
  ]);
});
