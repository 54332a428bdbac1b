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
const waivers = join(import.meta.dirname, "golden-waivers.json");
const describeWithGoldens = await describeWith("goldens");

describeWithGoldens("proxies, compared with what istiod 1.29.6 sends", () => {
  test.each(goldenScenarios.flatMap((scenario) => ["sotw", "delta"].map((mode) => [scenario, mode] as const)))(
    "%s, %s: no field differs",
    async (scenario, mode) => {
      const folder = join(istiodGoldens, scenario);
      expect(existsSync(folder)).toBe(true);
      await using binnacle = await startBinnacle({
        dir: join(folder, "conf"),
        args: ["--mesh", join(folder, "mesh.yaml")],
      });
      const server = ["--server", `127.0.0.1:${binnacle.xdsPort}`, "--scenario", folder];
      const bar = ["--golden", join(folder, "expect"), "--min", "100", "--waivers", waivers];
      const args = ["compare", ...server, ...bar, ...(mode === "delta" ? ["--delta"] : [])];
      const { stdout } = await run(await peerPath("goldens"), args, { timeout: 60_000 });
      expect(stdout).toMatch(/total\s+100\.00 %\s+\d+ of \d+ leaf fields, 0 differences, \d+ waived/);
    },
  );
});
