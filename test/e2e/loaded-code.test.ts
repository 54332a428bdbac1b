import { spawnSync } from "node:child_process";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sourceMain, root } from "./support/checkout.ts";
import { onLoad } from "./support/on-load.ts";

/** The files that a command line loads, as paths below the checkout. */
function loadedBy(args: readonly string[]): readonly string[] {
  const told = onLoad(`process.getBuiltinModule("node:fs").writeSync(3, url + "\\n");`);
  const stdio = ["ignore", "ignore", "ignore", "pipe"] as const;
  // A variable that may be a setting has the table of settings loaded.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("BINNACLE_")));
  const { output } = spawnSync(process.execPath, ["--import", told, sourceMain, ...args], { stdio: [...stdio], env });
  const urls = String(output[3]).split("\n");
  return urls.filter((url) => url.startsWith("file:")).map((url) => relative(root, fileURLToPath(url)));
}

const nobody = ["--server", "127.0.0.1:1"];

/** Most of the time of a short command is the time in which its code loads. */
test.each([
  { args: ["--help"], commands: [] },
  { args: ["no-such-command"], commands: [] },
  { args: ["version"], commands: ["version"] },
  { args: ["probe", "--file", "no/such/file", "--interval", "1s"], commands: ["probe"] },
  { args: ["proxy-status", ...nobody], commands: ["proxy-status"] },
  { args: ["sources", ...nobody], commands: ["sources"] },
])("binnacle $args.0 loads no other command, no generated code and nothing of a server", ({ args, commands }) => {
  const loaded = loadedBy(args);
  expect(loaded).toContain("src/cli/run.ts");
  expect(loaded.filter((file) => file.startsWith("src/cli/commands/"))).toEqual(
    commands.map((name) => `src/cli/commands/${name}.ts`),
  );
  expect(loaded.filter((file) => /^(gen|src\/(galley|pilot|mcp|xds))\//u.test(file))).toEqual([]);
});
