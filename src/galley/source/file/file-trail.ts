import { readlink } from "node:fs/promises";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { append } from "../../../lib/append.ts";

/** A name in a directory. */
export interface Step {
  readonly directory: string;
  readonly entry: string;
}

/** As many as Linux follows before it takes them for a circle. */
const maxLinks = 40;

/**
 * The way to a path, name by name, through all the links on it: should any of these names come to mean something
 * else, the path leads elsewhere. Directories of steps are real paths, as far as there is something. One instance
 * serves one look at a tree, since it remembers what it saw.
 */
export class Trails {
  readonly #targets = new Map<string, Promise<string | undefined>>();

  async to(path: string): Promise<readonly Step[]> {
    const absolute = resolve(path);
    const steps: Step[] = [];
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

/** Undefined for what is no link, and for what is not there. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined;
  }
}
