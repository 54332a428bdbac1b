import { spawnSync } from "node:child_process";

/** The day of the checked-out commit. The same commit gives the same pages on every day. Without Git, the first day of 1970. */
export function commitDay(checkout: string): string {
  const { stdout, status } = spawnSync("git", ["log", "-1", "--format=%cs"], { cwd: checkout, encoding: "utf8" });
  return status === 0 ? stdout.trim() : "1970-01-01";
}
