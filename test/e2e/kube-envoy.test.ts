import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Chapter, Ending } from "./kube/bookinfo-story.ts";
import { describeWithNetwork } from "./support/peers.ts";

const describeWithBoth = await describeWithNetwork("kube", "envoy");
const story = resolve(import.meta.dirname, "kube/bookinfo-story.ts");

describeWithBoth("a shop on Kubernetes", () => {
  test("is called by a real Envoy according to its rules and its current pods", async () => {
    const inside = ["-rn", process.execPath, story];
    const { stdout } = await promisify(execFile)("unshare", inside, { timeout: 170_000 });
    const lines = stdout.trim().split("\n");
    const told = lines.map((line) => JSON.parse(line) as Chapter | Ending);
    expect(told).toMatchObject([
      { chapter: "as the rules say", answered: { "reviews-v1": 100 } },
      { chapter: "after the rules were changed", answered: { "reviews-v1": expect.any(Number) } },
      { chapter: "after scaling up", answered: { "reviews-v1-b": expect.any(Number) } },
      { chapter: "after scaling down", answered: { "reviews-v1-b": expect.any(Number) } },
      { troubles: [] },
    ]);
  });
});
