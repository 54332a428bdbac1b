import { execFile } from "node:child_process";
import { peerPath } from "../../../scripts/peer.ts";

/** The verdict of a real RE2 on an expression. */
export type Re2Answer = { readonly size: number; readonly groups: number } | { readonly error: string };

/** Gets the verdict of RE2 on each expression, in one process. */
export async function askRe2(patterns: readonly string[]): Promise<readonly Re2Answer[]> {
  const executable = await peerPath("re2");
  const lines = await new Promise<string>((resolve, reject) => {
    const settle = (error: Error | null, stdout: string): void => (error === null ? resolve(stdout) : reject(error));
    const child = execFile(executable, { maxBuffer: 2 ** 30 }, settle);
    child.stdin?.end(patterns.map((pattern) => `${JSON.stringify(pattern)}\n`).join(""));
  });
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Re2Answer);
}
