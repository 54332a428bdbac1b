import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { goldenScenarios, istiodGoldens } from "../../src/testing/shared-data.ts";
import { startBinnacle } from "./support/binnacle.ts";
import { describeWith } from "./support/peers.ts";

const run = promisify(execFile);
/** Differences that are left, by scenario, with the reason. Nothing is waived. */
const differences: Readonly<Record<string, { readonly count: number; readonly percent: string }>> = {
  // Secrets are not served yet: the names that its listeners ask for stay unanswered.
  "11-gateway-tls": { count: 1, percent: "99.95" },
};
const describeWithGoldens = await describeWith("goldens");

describeWithGoldens("proxies, compared with what istiod 1.29.6 sends", () => {
  test.each(goldenScenarios)("%s: no field differs but those with a reason", async (scenario) => {
    const folder = join(istiodGoldens, scenario);
    expect(existsSync(folder)).toBe(true);
    await using binnacle = await startBinnacle({
      dir: join(folder, "conf"),
      args: ["--mesh", join(folder, "mesh.yaml")],
    });
    const { count, percent } = differences[scenario] ?? { count: 0, percent: "100.00" };
    const server = ["--server", `127.0.0.1:${binnacle.xdsPort}`, "--scenario", folder];
    const bar = ["--golden", join(folder, "expect"), "--min", percent];
    for (const mode of [[], ["--delta"]]) {
      const { stdout } = await run(await peerPath("goldens"), ["compare", ...server, ...bar, ...mode], {
        timeout: 60_000,
      });
      const total = /total\s+(\S+) %\s+\d+ of \d+ leaf fields, (\d+) differences, 0 waived/u.exec(stdout);
      expect(total?.slice(1)).toEqual([percent, String(count)]);
    }
  });
});
