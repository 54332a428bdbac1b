import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, parse, resolve, sep } from "node:path";
import { codeOf, errorFrom, MeshError } from "../../../lib/errors.ts";
import { notAFile } from "./file-read.ts";
import { PathResolver } from "./path-resolver.ts";

export interface Walk {
  /** The YAML files, sorted by path. */
  readonly files: readonly string[];
  /** Existing paths that could not be read. Their contents must not count as deleted. */
  readonly failures: readonly WalkFailure[];
  /** Directories with Helm charts. Their files are templates, so none of them is listed. */
  readonly charts: readonly string[];
}

interface WalkFailure {
  readonly path: string;
  readonly cause: Error;
}

/** Receives every relevant path before the walk reads it, so that no later change is missed. */
export interface WalkObserver {
  /** A directory, by its real path. Every change in it matters. */
  visit(directory: string): void;
  /** A path. A change of its target matters. */
  follow(path: string): Promise<void>;
}

export interface WalkOptions {
  /** Whether to follow links that lead out of the directory. If off, a link cannot expose files from elsewhere. */
  readonly followLinksOutside?: boolean;
}

/**
 * Finds every `.yaml` and `.yml` file below a directory. Follows symbolic links to targets inside the directory. A link
 * that leads out is a failure, unless an option allows it. Skips hidden names, editors' temporary files and Helm
 * charts. Kubernetes uses hidden names for versions of a mounted ConfigMap. A target of several links counts once,
 * under the first path. Throws when `root` itself cannot be read.
 */
export async function walkYaml(root: string, observer: WalkObserver, options: WalkOptions = {}): Promise<Walk> {
  await observer.follow(root);
  const within = options.followLinksOutside === true ? parse(resolve(root)).root : await realpath(root);
  const walker = new Walker(observer, within);
  await walker.visit(root);
  const { files, failures, charts } = walker;
  return { files: files.toSorted(), failures, charts };
}

/** Whether a file was deleted after it was listed. */
export function isMissing(thrown: unknown): boolean {
  return codeOf(thrown) === "ENOENT";
}

class Walker {
  readonly files: string[] = [];
  readonly failures: WalkFailure[] = [];
  readonly charts: string[] = [];
  readonly #observer: WalkObserver;
  /** Visited real paths. Without them, link loops would never end, and dense link graphs almost never. */
  readonly #seen = new Set<string>();
  /** The real path of the directory that contains all allowed link targets. */
  readonly #within: string;

  constructor(observer: WalkObserver, within: string) {
    this.#observer = observer;
    this.#within = within;
  }

  async visit(directory: string): Promise<void> {
    const real = await realpath(directory);
    if (!this.#isNew(real)) return;
    this.#observer.visit(real);
    const entries = await readdir(real, { withFileTypes: true });
    if (isChart(entries)) {
      this.charts.push(directory);
      return;
    }
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
      // An entry that vanished after the listing is gone. A dangling link may be in the middle of a replacement.
      if (!isMissing(thrown) || entry.isSymbolicLink()) this.failures.push({ path, cause: errorFrom(thrown) });
    }
  }

  /**
   * Makes the observer follow a link. Returns false for a link that leads out of the directory to something that is
   * never read. The target is checked before, because nothing outside is watched. It is checked again afterwards,
   * because it may have changed before the watch started.
   */
  async #follow(path: string, { name }: Dirent): Promise<boolean> {
    const outside = (await this.#wayOut(path)) ?? (await this.#observer.follow(path), await this.#wayOut(path));
    if (outside === undefined) return true;
    const leadsToFolder = await stat(path).then(
      (target) => target.isDirectory(),
      () => false,
    );
    if (!isYaml(name) && !leadsToFolder) return false;
    throw new MeshError("source-unavailable", `it is a link to ${outside}, outside the directory; ${outsideHint}`);
  }

  /** The target of a link, if it is outside. */
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

const outsideHint = "add that path as well, or set --follow-links-outside on";

/** The real path of a link's target, even if the target does not exist. */
async function endOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    const last = (await new PathResolver().to(path)).at(-1);
    return last === undefined ? path : join(last.directory, last.entry);
  }
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Recognizes a chart by the two names that every chart has. */
function isChart(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name));
  return names.has("Chart.yaml") && names.has("templates");
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
