import { globSync } from "node:fs";
import { peerPath } from "../peer.ts";

/** The C library that the binary of Jazzer.js is linked with. */
const needed = [2, 38] as const;

/**
 * The command that starts a Node that can load the binary of Jazzer.js: this Node, or where the system's C library is
 * older, this Node on the C library of Debian 13.
 */
export async function nodeForJazzer(): Promise<readonly [string, ...string[]]> {
  if (process.platform !== "linux" || isEnough(glibcVersion())) return [process.execPath];
  const folder = await peerPath("glibc");
  const [loader = ""] = globSync(`${folder}/ld-linux-*.so.*`);
  return [loader, "--library-path", folder, process.execPath];
}

function glibcVersion(): string {
  const report = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime ?? "0.0";
}

function isEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > needed[0] || (major === needed[0] && minor >= needed[1]);
}
