import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { goldenScenarios, istiodGoldens } from "../../src/testing/shared-data.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { describeWith } from "./support/peers.ts";

const run = promisify(execFile);
const describeWithGoldens = await describeWith("goldens");

describeWithGoldens("proxies, compared with what istiod 1.29.6 sends", () => {
  test.each(goldenScenarios)("%s: no field differs", async (scenario) => {
    const folder = join(istiodGoldens, scenario);
    expect(existsSync(folder)).toBe(true);
    await using binnacle = await startBinnacle({
      dir: join(folder, "conf"),
      args: ["--mesh", join(folder, "mesh.yaml")],
    });
    const server = ["--server", `127.0.0.1:${binnacle.xdsPort}`, "--scenario", folder];
    const bar = ["--golden", join(folder, "expect"), "--min", "100"];
    for (const mode of [[], ["--delta"]]) {
      const { stdout } = await run(await peerPath("goldens"), ["compare", ...server, ...bar, ...mode], {
        timeout: 60_000,
      });
      const total = /total\s+(\S+) %\s+\d+ of \d+ leaf fields, (\d+) differences, 0 waived/u.exec(stdout);
      expect(total?.slice(1)).toEqual(["100.00", "0"]);
    }
  });
});
