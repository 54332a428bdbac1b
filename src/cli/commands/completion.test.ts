import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";

/** The completions of bash for the last word of a command line. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runCommand(["completion", "bash"]);
  const typed = ["binnacle", ...words].map((word) => `'${word}'`).join(" ");
  const program = `${stdout}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _binnacle; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout: reply, stderr } = spawnSync("bash", ["-c", program], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return reply.split("\n").filter((word) => word !== "");
}

/** The completions of fish for an unfinished line. */
async function completedIn(shell: string, line: string): Promise<readonly string[]> {
  const { stdout } = await runCommand(["completion", shell]);
  const program = `${stdout}\ncomplete -C '${line}'`;
  const { stdout: reply } = spawnSync(shell, ["--no-config", "-c", program], { encoding: "utf8" });
  return reply.split("\n").flatMap((each) => (each === "" ? [] : (each.split("\t")[0] ?? "")));
}

function isThere(shell: string): boolean {
  return spawnSync(shell, ["-c", "true"]).status === 0;
}

describe("completion", () => {
  test.each([
    [["proxy-"], ["proxy-status", "proxy-config"]],
    [["p"], ["pilot", "proxy-status", "ps", "proxy-config", "pc", "plan", "probe"]],
    [
      ["serve", "--xds-auth"],
      ["--xds-auth", "--xds-auth-plaintext"],
    ],
    [
      ["serve", "--log-format", ""],
      ["text", "json"],
    ],
    [["get", "vs", "-o", "n"], ["name"]],
    [["pc", "en"], ["endpoint"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["get", "VirtualS"], ["VirtualService"]],
    [["help", "ver"], ["version"]],
    [["validate", "--he"], ["--help"]],
    [
      ["validate", "packag"],
      ["package.json", "package-lock.json"],
    ],
  ])("in a real bash, %j becomes %j", async (words, expected) => {
    expect((await offered(...words)).toSorted()).toEqual(expected.toSorted());
  });

  const shells = ["zsh", "fish"].map((shell) => [shell, isThere(shell) ? {} : { skip: true }] as const);

  describe.each(shells)("of %s", (shell, options) => {
    test("is valid for the shell itself", options, async () => {
      const { stdout } = await runCommand(["completion", shell]);
      const { status, stderr } = spawnSync(shell, ["-n", "-c", stdout], { encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    });
  });

  describe.each(shells.slice(1))("in a real %s", (shell, options) => {
    test("completes words", options, async () => {
      expect(await completedIn(shell, "binnacle proxy-")).toEqual(["proxy-config", "proxy-status"]);
      expect(await completedIn(shell, "binnacle serve --log-format ")).toEqual(["json", "text"]);
      expect(await completedIn(shell, "binnacle ps --serv")).toEqual(["--server"]);
    });
  });

  test("rejects an unknown shell", async () => {
    expect(await runCommand(["completion", "tcsh"])).toMatchObject({
      code: 2,
      stderr: "binnacle completion: expected bash, zsh or fish, found tcsh",
    });
  });
});
