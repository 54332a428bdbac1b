import { readlink } from "node:fs/promises";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { append } from "../../../lib/append.ts";

/** A name in a directory. */
export interface PathEntry {
  readonly directory: string;
  readonly entry: string;
}

/** The most links that Linux follows before it reports a loop. */
const maxLinks = 40;

/**
 * Resolves a path name by name, through all its symbolic links. If any of these names changes, the path leads
 * elsewhere. The directories of steps are real paths, as far as they exist. One instance serves one look at a tree,
 * because it caches results.
 */
export class PathResolver {
  readonly #targets = new Map<string, Promise<string | undefined>>();

  async to(path: string): Promise<readonly PathEntry[]> {
    const absolute = resolve(path);
    const steps: PathEntry[] = [];
    const ahead = absolute.split(sep).toReversed();
    let at = parse(absolute).root;
    for (let links = 0; ahead.length > 0 && links < maxLinks; ) {
      const entry = ahead.pop() ?? "";
      if (entry === "" || entry === ".") continue;
      if (entry === "..") {
        at = dirname(at);
        continue;
      }
      steps.push({ directory: at, entry });
      const target = await this.#targetOf(join(at, entry));
      if (target === undefined) {
        at = join(at, entry);
        continue;
      }
      links += 1;
      if (isAbsolute(target)) at = parse(target).root;
      append(ahead, target.split(sep).toReversed());
    }
    return steps;
  }

  #targetOf(path: string): Promise<string | undefined> {
    const known = this.#targets.get(path) ?? linkTarget(path);
    this.#targets.set(path, known);
    return known;
  }
}

/** Undefined if the path is no link or does not exist. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined;
  }
}
