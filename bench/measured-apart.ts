import { execFileSync } from "node:child_process";
import { join } from "node:path";

/**
 * The JSON output of a script beside this file, run in a separate process. So its figures contain no garbage of others.
 */
export function measuredApart(script: string, args: readonly string[], nodeFlags: readonly string[] = []): unknown {
  const command = [...nodeFlags, join(import.meta.dirname, script), ...args];
  return JSON.parse(execFileSync(process.execPath, command, { encoding: "utf8" }));
}
