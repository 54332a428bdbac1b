import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { sourceMain } from "./support/checkout.ts";
import { onLoad } from "./support/on-load.ts";

/** Sends the process a signal as soon as it loads the rest of its own code, and another as it loads the command. */
function signalling(signal: string): string {
  return onLoad(`if (/\\/(run|commands\\/version)\\.ts$/.test(url)) process.kill(process.pid, "${signal}");`);
}

test.each(["SIGHUP", "SIGUSR1"])("%s (reload) is harmless before the first read", (signal) => {
  const args = ["--import", signalling(signal), sourceMain, "version"];
  const { status, signal: endedBy, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ status, endedBy, stderr }).toEqual({ status: 0, endedBy: null, stderr: "" });
});
