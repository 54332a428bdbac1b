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
    const compare = ["compare", ...server, ...bar];
    const peer = await peerPath("goldens");
    // At once: each waits for a silence after every step.
    const both = [compare, [...compare, "--delta"]].map((args) => run(peer, args, { timeout: 60_000 }));
    for (const { stdout } of await Promise.all(both)) {
      const total = /total\s+(\S+) %\s+\d+ of \d+ leaf fields, (\d+) differences, 0 waived/u.exec(stdout);
      expect(total?.slice(1)).toEqual(["100.00", "0"]);
    }
  });
});
