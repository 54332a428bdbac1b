import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** The folder for everything that runs of a target make: its build, the inputs they found, crashes. Not in git. */
export function workFolder(name: string): string {
  const folder = join(root, "node_modules/.cache/fuzz", name);
  for (const part of ["found", "crashes", "seeds"]) mkdirSync(join(folder, part), { recursive: true });
  return folder;
}
