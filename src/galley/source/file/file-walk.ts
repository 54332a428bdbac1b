import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, parse, resolve, sep } from "node:path";
import { codeOf, errorFrom, MeshError } from "../../../lib/errors.ts";
import { notAFile } from "./file-read.ts";
import { Trails } from "./file-trail.ts";

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

export interface WalkOptions {
  /** Whether links are followed that lead out of the directory. Off, a link gives away no file from elsewhere. */
  readonly followLinksOutside?: boolean;
}

/**
 * Finds every `.yaml` and `.yml` file below a directory. Symbolic links are followed where they lead to something in
 * the directory; a link that leads out of it is a failure, unless an option allows it. Hidden names (which is how Kubernetes
 * versions a mounted ConfigMap) and editors' temporary files are not looked at. What several links lead to counts once,
 * under the first path that leads there. Throws when `root` itself cannot be read.
 */
export async function walkYaml(root: string, lookout: Lookout, options: WalkOptions = {}): Promise<Walk> {
  await lookout.follow(root);
  const within = options.followLinksOutside === true ? parse(resolve(root)).root : await realpath(root);
  const walker = new Walker(lookout, within);
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
  /** The real path of the directory that links may not leave. */
  readonly #within: string;

  constructor(lookout: Lookout, within: string) {
    this.#lookout = lookout;
    this.#within = within;
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
      if (isLink && !(await this.#follow(path, entry))) return;
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

  /**
   * Has the lookout follow a link. False for one that is none of our business: it leads out of the directory, to
   * something that would not be read anywhere. The way is checked again afterwards, since it may have changed until it
   * was watched; it is checked before, because outside nothing is watched.
   */
  async #follow(path: string, { name }: Dirent): Promise<boolean> {
    const outside = (await this.#wayOut(path)) ?? (await this.#lookout.follow(path), await this.#wayOut(path));
    if (outside === undefined) return true;
    const leadsToFolder = await stat(path).then(
      (target) => target.isDirectory(),
      () => false,
    );
    if (!isYaml(name) && !leadsToFolder) return false;
    throw new MeshError("source-unavailable", `it is a link to ${outside}, outside the directory; ${outsideHint}`);
  }

  /** Where a link leads, if that is outside. */
  async #wayOut(path: string): Promise<string | undefined> {
    const end = await endOf(path);
    return isWithin(this.#within, end) ? undefined : end;
  }

  #isNew(real: string): boolean {
    if (this.#seen.has(real)) return false;
    this.#seen.add(real);
    return true;
  }
}

const outsideHint = "name that path as well, or follow such links with --follow-links-outside on";

/** The real path that a link leads to, or would lead to if something were there. */
async function endOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    const last = (await new Trails().to(path)).at(-1);
    return last === undefined ? path : join(last.directory, last.entry);
  }
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
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
