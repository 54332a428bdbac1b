import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The folder with the package.json of this program: a checkout, or the built package. */
export const packageRoot = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  const parent = dirname(folder);
  return parent === folder || existsSync(join(folder, "package.json")) ? folder : rootAbove(parent);
}

/** The program that is running. */
export interface Build {
  readonly name: "binnacle";
  readonly version: string;
  /** The Git commit, or `unknown`. */
  readonly commit: string;
}

/** The version in package.json. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(resolve(packageRoot, "package.json"), "utf8")) as {
    readonly version: string;
  };
  return version;
}

export function readBuild(): Build {
  return { name: "binnacle", version: readVersion(), commit: readCommit(packageRoot) };
}

/** The commit that `npm run build` recorded, else the commit that is checked out. */
export function readCommit(directory: string): string {
  return textOf(resolve(directory, "commit")) ?? checkedOut(directory) ?? "unknown";
}

/** Reads the files of Git, because the `git` command may be missing. */
function checkedOut(directory: string): string | undefined {
  const link = /^gitdir: (.+)$/u.exec(textOf(resolve(directory, ".git")) ?? "")?.[1];
  const own = resolve(directory, link ?? ".git");
  const head = textOf(resolve(own, "HEAD"));
  const ref = /^ref: (.+)$/u.exec(head ?? "")?.[1];
  if (head === undefined || ref === undefined) return head;
  // A linked worktree shares the branches of the main one.
  const shared = resolve(own, textOf(resolve(own, "commondir")) ?? ".");
  return textOf(resolve(shared, ref)) ?? packedRef(textOf(resolve(shared, "packed-refs")) ?? "", ref);
}

function packedRef(packed: string, ref: string): string | undefined {
  return packed
    .split("\n")
    .find((line) => line.endsWith(` ${ref}`))
    ?.split(" ")[0];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}
