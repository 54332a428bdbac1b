/**
 * Binnacle at the commit that set version 0.2.0, built from the history of this checkout with the libraries of this
 * checkout, for the upgrade test.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const root = resolve(import.meta.dirname, "../..");

/** Undefined where the history does not reach back to it: a shallow clone, or an archive without history. */
export function oldCommit(): string | undefined {
  try {
    const found = git("log", "--reverse", "--format=%H %P", '-S"version": "0.2.0"', "--", "package.json");
    const [commit, parent] = found.split("\n", 1)[0]?.split(" ") ?? [];
    // Without a parent, the commit is where the history was cut off.
    return parent ? commit : undefined;
  } catch {
    return undefined;
  }
}

/** Leaves the executable `binnacle-old/dist/cli/bundle/main.js` in the folder: as deep as that version expects itself. */
export async function buildOldBinnacle(commit: string, folder: string): Promise<void> {
  const source = join(folder, "source");
  mkdirSync(source);
  const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 1 << 28 });
  execFileSync("tar", ["--extract", "--directory", source], { input: archive });
  symlinkSync(join(root, "node_modules"), join(source, "node_modules"));
  execFileSync("nice", [process.execPath, "scripts/generate.ts"], { cwd: source, stdio: "pipe" });
  const target = join(folder, "binnacle-old");
  const bundle = await rolldown({ cwd: source, input: join(source, "src/cli/main.ts"), platform: "node" });
  await bundle.write({ dir: join(target, "dist/cli/bundle"), format: "esm", keepNames: true });
  await bundle.close();
  copyFileSync(join(source, "package.json"), join(target, "package.json"));
  rmSync(source, { recursive: true });
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
