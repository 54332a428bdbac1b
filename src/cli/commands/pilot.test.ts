import { expect, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";

test("Pilot requires a source of configuration", async () => {
  const { code, stderr } = await runCommand(["pilot"]);
  expect(code).toBe(2);
  expect(stderr).toContain("set --source to read configuration from, such as mcp://127.0.0.1:9901");
});

test("Pilot has no flags of Galley's MCP server", async () => {
  const { code, stderr } = await runCommand(["pilot", "--mcp", ":9901"]);
  expect(code).toBe(2);
  expect(stderr).toContain("unknown flag --mcp");
});

test("the help of galley shows its default MCP address, and the help of serve shows none", async () => {
  expect((await runCommand(["galley", "--help"])).stdout).toMatch(/--mcp ADDR[^-]*127\.0\.0\.1:9901/);
  expect((await runCommand(["serve", "--help"])).stdout).toMatch(/--mcp ADDR[^-]*off/);
});
