import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorFrom } from "../../lib/errors.ts";

export interface Walk {
  /** The YAML files, sorted by path. */
  readonly files: readonly string[];
  /** What could not be looked into, though something is there: nobody may take its contents for deleted. */
  readonly failures: readonly WalkFailure[];
}

interface WalkFailure {
  readonly path: string;
  readonly cause: Error;
}

/** Called before a directory is read, so that whoever starts watching it then misses nothing. */
export type OnDirectory = (directory: string) => void;

/**
 * Finds every `.yaml` and `.yml` file below a directory. Symbolic links are followed; hidden names (which is how
 * Kubernetes versions a mounted ConfigMap) and editors' temporary files are not looked at. Throws when `root` itself
 * cannot be read.
 */
export async function walkYaml(root: string, onDirectory: OnDirectory): Promise<Walk> {
  const files: string[] = [];
  const failures: WalkFailure[] = [];

  async function visit(directory: string, ancestors: readonly string[]): Promise<void> {
    const real = await realpath(directory);
    if (ancestors.includes(real)) return;
    onDirectory(directory);
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      if (isIgnored(entry.name)) continue;
      const path = join(directory, entry.name);
      try {
        const type = await typeOf(entry, path, onDirectory);
        if (type === "directory") await visit(path, [...ancestors, real]);
        else if (type === "file" && isYaml(entry.name)) files.push(path);
      } catch (thrown) {
        // What vanished since it was listed is simply gone; a link to nowhere may be a target being replaced.
        if (!isMissing(thrown) || entry.isSymbolicLink()) failures.push({ path, cause: errorFrom(thrown) });
      }
    }
  }

  await visit(root, []);
  return { files: files.toSorted(), failures };
}

/** A file that was there a moment ago, and is not now. */
export function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
}

async function typeOf(entry: Dirent, path: string, onDirectory: OnDirectory): Promise<"file" | "directory" | "other"> {
  if (!entry.isSymbolicLink()) return entry.isDirectory() ? "directory" : entry.isFile() ? "file" : "other";
  const target = await stat(path);
  if (target.isDirectory()) return "directory";
  if (!target.isFile()) return "other";
  // Writing to the target of a link is no event in the directory of the link.
  if (isYaml(entry.name)) onDirectory(dirname(await realpath(path)));
  return "file";
}

function isYaml(name: string): boolean {
  return name.endsWith(".yaml") || name.endsWith(".yml");
}

function isIgnored(name: string): boolean {
  return name.startsWith(".") || name.startsWith("#") || name.startsWith("~") || name.endsWith("~");
}
