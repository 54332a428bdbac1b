import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/**
 * The folder for everything that runs of a target make: its build, the inputs they found, crashes. Not in git. It is as
 * deep below the root as the sources: the version is read from there.
 */
export function workFolder(name: string): string {
  const folder = pathOf(name);
  for (const part of ["found", "crashes", "seeds"]) mkdirSync(join(folder, part), { recursive: true });
  return folder;
}

/** Forgets everything that earlier runs made. */
export function clearFolder(name: string): void {
  rmSync(pathOf(name), { recursive: true, force: true });
}

function pathOf(name: string): string {
  return join(root, "node_modules/.cache", `fuzz-${name}`);
}
