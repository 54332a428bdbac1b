import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** What a script beside this file prints as JSON, run in a process of its own: nobody's garbage is in its figures. */
export function measuredApart(script: string, args: readonly string[], nodeFlags: readonly string[] = []): unknown {
  const command = [...nodeFlags, join(import.meta.dirname, script), ...args];
  return JSON.parse(execFileSync(process.execPath, command, { encoding: "utf8" }));
}
