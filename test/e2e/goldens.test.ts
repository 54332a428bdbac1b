import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { startBinnacle } from "./support/binnacle.ts";
import { describeWith } from "./support/peers.ts";

const run = promisify(execFile);
const recordings = resolve(import.meta.dirname, "../../../shared/data/goldens/istiod-1.29.6");
const describeWithGoldens = await describeWith("goldens");
/** Those whose router needs nothing that is still missing (DNS, TCP and TLS servers). */
const scenarios = [
  "01-empty",
  "02-http-static",
  "05-subsets",
  "06-weighted",
  "07-uri-match",
  "08-header-match",
  "09-resilience",
  "10-gateway-http",
  "12-traffic-policy",
  "14-export-to",
];

describeWithGoldens("routers, compared with what istiod 1.29.6 sends", () => {
  test.each(scenarios.flatMap((scenario) => ["sotw", "delta"].map((mode) => [scenario, mode] as const)))(
    "%s, %s: no field differs",
    async (scenario, mode) => {
      const folder = join(recordings, scenario);
      expect(existsSync(folder)).toBe(true);
      await using binnacle = await startBinnacle({
        dir: join(folder, "conf"),
        args: ["--mesh", join(folder, "mesh.yaml")],
      });
      const server = ["--server", `127.0.0.1:${binnacle.xdsPort}`, "--scenario", folder];
      const bar = ["--golden", join(folder, "expect"), "--node", "router-*", "--min", "100"];
      const args = ["compare", ...server, ...bar, ...(mode === "delta" ? ["--delta"] : [])];
      const { stdout } = await run(await peerPath("goldens"), args, { timeout: 60_000 });
      expect(stdout).toMatch(/total\s+100\.00 %\s+\d+ of \d+ leaf fields, 0 differences, 0 waived/);
    },
  );
});
