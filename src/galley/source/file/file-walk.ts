import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, errorFrom, MeshError } from "../../../lib/errors.ts";
import { notAFile } from "./file-read.ts";

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

/** Told of whatever matters before it is looked at, so that what happens to it from then on is not missed. */
export interface Lookout {
  /** A directory, by its real path: whatever happens in it matters. */
  visit(directory: string): void;
  /** A path: should it come to lead elsewhere, that matters. */
  follow(path: string): Promise<void>;
}

/**
 * Finds every `.yaml` and `.yml` file below a directory. Symbolic links are followed; hidden names (which is how
 * Kubernetes versions a mounted ConfigMap) and editors' temporary files are not looked at. What several links lead to
 * counts once, under the first path that leads there. Throws when `root` itself cannot be read.
 */
export async function walkYaml(root: string, lookout: Lookout): Promise<Walk> {
  const walker = new Walker(lookout);
  await lookout.follow(root);
  await walker.visit(root);
  return { files: walker.files.toSorted(), failures: walker.failures };
}

/** A file that was there a moment ago, and is not now. */
export function isMissing(thrown: unknown): boolean {
  return codeOf(thrown) === "ENOENT";
}

class Walker {
  readonly files: string[] = [];
  readonly failures: WalkFailure[] = [];
  readonly #lookout: Lookout;
  /** Real paths. Without it, circles of links would never end, and webs of them almost never. */
  readonly #seen = new Set<string>();

  constructor(lookout: Lookout) {
    this.#lookout = lookout;
  }

  async visit(directory: string): Promise<void> {
    const real = await realpath(directory);
    if (!this.#isNew(real)) return;
    this.#lookout.visit(real);
    const entries = await readdir(real, { withFileTypes: true });
    for (const entry of entries.toSorted(byName)) {
      if (!isIgnored(entry.name)) await this.#visitEntry(join(directory, entry.name), entry);
    }
  }

  async #visitEntry(path: string, entry: Dirent): Promise<void> {
    try {
      const isLink = entry.isSymbolicLink();
      if (isLink) await this.#lookout.follow(path);
      const target = isLink ? await stat(path) : entry;
      if (target.isDirectory()) return await this.visit(path);
      if (!isYaml(entry.name)) return;
      if (!target.isFile()) throw new MeshError("source-unavailable", notAFile(target));
      const real = isLink ? await realpath(path) : join(entry.parentPath, entry.name);
      if (this.#isNew(real)) this.files.push(path);
    } catch (thrown) {
      // What vanished since it was listed is simply gone; a link to nowhere may be a target being replaced.
      if (!isMissing(thrown) || entry.isSymbolicLink()) this.failures.push({ path, cause: errorFrom(thrown) });
    }
  }

  #isNew(real: string): boolean {
    if (this.#seen.has(real)) return false;
    this.#seen.add(real);
    return true;
  }
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

function isYaml(name: string): boolean {
  return name.endsWith(".yaml") || name.endsWith(".yml");
}

function isIgnored(name: string): boolean {
  return name.startsWith(".") || name.startsWith("#") || name.startsWith("~") || name.endsWith("~");
}
