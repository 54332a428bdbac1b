import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runs, steadySeed } from "../../src/testing/random/seed.ts";
import type { JudgedOutcome } from "./judged/accepted.ts";
import { describeWithNetwork } from "./support/peers.ts";

const script = join(import.meta.dirname, "judged/accepted.ts");
const describeWithEnvoys = await describeWithNetwork("envoy");

describeWithEnvoys("mutated objects that pass validation", () => {
  // `npm run fuzz 50 test/e2e/judged.test.ts` takes 5 000 of them.
  test("generate resources that a real router and a real sidecar accept", async () => {
    const count = runs(100);
    const nonlocal = "echo 1 > /proc/sys/net/ipv4/ip_nonlocal_bind";
    const inOwnNetwork = `ip link set lo up && ${nonlocal} && exec "${process.execPath}" "${script}" ${count} ${steadySeed(7)}`;
    const { stdout } = await promisify(execFile)("unshare", ["-rn", "sh", "-c", inOwnNetwork], { maxBuffer: 2 ** 28 });
    const { tried, accepted, rejections } = JSON.parse(stdout) as JudgedOutcome;
    expect(rejections).toEqual([]);
    expect(accepted).toBe(count);
    expect(tried).toBeGreaterThan(accepted * 1.5);
  });
});
