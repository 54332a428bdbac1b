import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { schemes } from "../app/sources/schemes.ts";
import { runCommand } from "../testing/recording/run-command.ts";
import { commands } from "./commands.ts";

describe("the command line", () => {
  test.each([
    [[], 2],
    [["--help"], 0],
    [["-h"], 0],
    [["help"], 0],
  ])("%j lists every command", async (args, code) => {
    const answer = await runCommand(args);
    expect(answer.code).toBe(code);
    for (const { name } of commands) expect(answer.stdout).toContain(`  ${name} `);
  });

  test.each(commands.map(({ name }) => name))("%s --help has flags, examples and exit codes", async (name) => {
    const { code, stdout } = await runCommand([name, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/--help .*\n\nexamples:\n {2}binnacle .*\n\nexit codes:\n {2}0 /su);
    expect(await runCommand(["help", name])).toEqual({ code, stdout, stderr: "" });
  });

  test.each(commands)("$name --help fits on a screen, without its examples", async ({ name, load }) => {
    const { stdout } = await runCommand([name, "--help"]);
    const { examples } = (await load()).command;
    const long = stdout.split("\n").filter((line) => line.length > 80);
    expect(long.filter((line) => !examples.includes(line.replace(/^ {2}binnacle /u, "")))).toEqual([]);
  });

  test.each(commands.map(({ name }) => name))("%s rejects unknown flags", async (name) => {
    const { code, stdout, stderr } = await runCommand([name, "--no-such-flag"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(`binnacle ${name}: unknown flag --no-such-flag`);
  });

  test.each([
    [["serv"], 2, "binnacle: unknown command serv; did you mean serve?"],
    [["help", "serv"], 2, "binnacle: unknown command serv; did you mean serve?"],
    [["teleport"], 2, "binnacle: unknown command teleport; see binnacle --help"],
    [["serve", "--xsd", "off"], 2, "binnacle serve: unknown flag --xsd; did you mean --xds?"],
    [
      ["serve", "--source", "consul://a/b"],
      2,
      `binnacle serve: --source consul://a/b: unknown scheme consul; use one of ${Object.keys(schemes).join(", ")}`,
    ],
    [["version", "now"], 2, "binnacle version: expected no arguments, found now"],
  ])("%j ends with one sentence", async (args, code, sentence) => {
    expect(await runCommand(args)).toEqual({ code, stdout: "", stderr: sentence });
  });

  test("a missing directory ends with 1, not as wrong usage", async () => {
    const ports = ["--xds", "off", "--http", "off", "--metrics", "off", "--ctrlz", "off"];
    const { code, stderr } = await runCommand(["serve", "no/such/directory", ...ports]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^binnacle serve: .*there is no such directory$/u);
  });
});

describe("version", () => {
  test.each([["version"], ["--version"]])("%s is one line", async (word) => {
    expect(await runCommand([word])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^binnacle \d+\.\d+\.\d+[^\n]*$/u),
    });
  });

  test.each([
    ["json", (text: string): unknown => JSON.parse(text)],
    ["yaml", (text: string): unknown => parse(text)],
  ])("-o %s equals the /version page of a server", async (notation, read) => {
    const { code, stdout } = await runCommand(["version", "-o", notation]);
    expect(code).toBe(0);
    const [version, commit] = [expect.stringMatching(/^\d/u), expect.stringMatching(/^(?:[\da-f]{40}|unknown)$/u)];
    expect(read(stdout)).toEqual({ name: "binnacle", version, commit });
  });
});
