import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";

function probeFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "binnacle-probe-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "ready");
  writeFileSync(file, "");
  return file;
}

describe("probe", () => {
  test("prints nothing for a fresh file", async () => {
    const answer = await runCommand(["probe", "--file", probeFile(), "--interval", "1m"]);
    expect(answer).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("ends with 1 for an old or missing file", async () => {
    const file = probeFile();
    utimesSync(file, 0, 0);
    expect(await runCommand(["probe", "--file", file, "--interval", "2s"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ ms old, more than 2000 ms$/u),
    });
    rmSync(file);
    expect(await runCommand(["probe", "--file", file, "--interval", "2s"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `${file} does not exist`,
    });
  });

  test.each([
    [["--interval", "2s"], "--file is missing"],
    [["--file", "a"], "--interval: expected a duration above zero"],
    [["--file", "a", "--interval", "0s"], "--interval: expected a duration above zero"],
    [["--file", "a", "--interval", "2s", "b"], "expected no arguments, found b"],
  ])("%j is wrong usage", async (args, sentence) => {
    const { code, stderr } = await runCommand(["probe", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
