import { expect, test } from "vitest";
import { Burners } from "./burners.ts";
import { summaryLines, type TierRun } from "./summary.ts";

const run: TierRun = { tier: "unit", seed: "1", busy: false, seconds: 10, passed: 5, failures: [] };

test("the summary counts quiet and busy runs per tier, and lists each failure with its seeds", () => {
  const failures = ["src/a.test.ts > a holds"];
  const runs = [
    run,
    { ...run, seed: "2", seconds: 12.4, failures },
    { ...run, seed: "3", busy: true, failures },
    { ...run, tier: "e2e", seed: "4" },
  ];
  expect(summaryLines(runs)).toEqual([
    "unit       quiet  2 runs   1 failed, the longest took 12 s",
    "unit       busy    1 run   1 failed, the longest took 10 s",
    "e2e        quiet   1 run   0 failed, the longest took 10 s",
    "failed: src/a.test.ts > a holds (unit, quiet, BINNACLE_SEED=2; unit, busy, BINNACLE_SEED=3)",
    "4 runs, 2 failed",
  ]);
});

test("CPU burners end with their parent process", async () => {
  const burners = new Burners(2);
  const { pids } = burners;
  expect(pids).toHaveLength(2);
  for (const pid of pids) expect(process.kill(pid, 0)).toBe(true);
  await burners[Symbol.asyncDispose]();
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});
