import { describe, expect, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";

describe("binnacle fleet", () => {
  test.each([
    [["--proxies", "0"], "--proxies: expected a number above zero"],
    [["--proxies", "many"], "--proxies: expected a number above zero"],
    [["--delta", "half"], "--delta: expected a share"],
    [["--slow", "120%"], "--slow: expected a share"],
    [["--routers", "60%", "--grpc", "60%", "--target", "a:80"], "--routers and --grpc: together more than 100%"],
    [["--grpc", "10%"], "--target is missing"],
    [["--xds", "off"], "--xds: expected HOST:PORT"],
    [["--duration", "0s"], "--duration: expected a duration above zero"],
    [["--router-label", "gw"], "--router-label: expected KEY=VALUE"],
    [["mesh"], "expected no arguments"],
  ] as const)("%j is wrong usage", async (args, complaint) => {
    const { code, stderr } = await runCommand(["fleet", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
  });
});
