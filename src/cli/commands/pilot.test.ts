import { expect, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";

test("Pilot wants to know where configuration comes from", async () => {
  const { code, stderr } = await runCommand(["pilot"]);
  expect(code).toBe(2);
  expect(stderr).toContain("there is no --source to read from, such as mcp://127.0.0.1:9901");
});

test("Pilot has no settings of what Galley does for others", async () => {
  const { code, stderr } = await runCommand(["pilot", "--mcp", ":9901"]);
  expect(code).toBe(2);
  expect(stderr).toContain("unknown flag --mcp");
});

test("the help of Galley says where it listens for sinks, and that of serve that it does not", async () => {
  expect((await runCommand(["galley", "--help"])).stdout).toMatch(/--mcp ADDR[^-]*127\.0\.0\.1:9901/);
  expect((await runCommand(["serve", "--help"])).stdout).toMatch(/--mcp ADDR[^-]*off/);
});
