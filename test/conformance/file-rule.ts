import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Config, type ConfigId, configId } from "../../src/config/config.ts";
import { kinds } from "../../src/config/kinds.ts";
import { type ParsedFile, parseConfigs } from "../../src/config/parse/parse.ts";
import { decodeText } from "../../src/config/yaml/characters.ts";

/** Objects by id. */
export type ObjectsById = ReadonlyMap<ConfigId, Config>;

interface SeenFile {
  readonly text: string;
  readonly parsed: ParsedFile;
}

/** The files below a directory, by path. Undefined for an unreadable file or folder. */
type SeenFiles = ReadonlyMap<string, SeenFile | undefined>;

interface Known {
  readonly config: Config;
  readonly home: string;
}

/**
 * **The rule.** After any changes, the objects equal those of a fresh start, with one exception: an unusable document
 * keeps its last good version. That is, an object stays as it was in three cases:
 *
 * 1. Its home is unreadable, or has it in an unusable document. Exception: a fresh start would take it from a later
 *    file.
 * 2. A fresh start would not have it, but an unusable document names it. The last file with such a document is its new
 *    home.
 * 3. A fresh start would not have it, but its home has an unusable document without a name.
 *
 * The home of an object is the file that it was last taken from. If that is gone, its home is the last file with the
 * same text.
 */
export class LastGood {
  #known: ReadonlyMap<ConfigId, Known> = new Map();
  #files: SeenFiles = new Map();
  #fresh: ObjectsById = new Map();

  /** The objects that a fresh start must read from the current files. */
  get fresh(): ObjectsById {
    return this.#fresh;
  }

  /** The expected objects after the latest changes, given the earlier objects. */
  next(directory: string): ObjectsById {
    const files = seenIn(directory, this.#files);
    const fresh = files === undefined ? new Map() : definedIn(files);
    this.#fresh = configsOf(fresh);
    // A directory that vanished as a whole changes nothing: all objects stay.
    if (files === undefined) return configsOf(this.#known);
    const known = new Map(fresh);
    for (const [id, { config }] of this.#known) {
      const home = this.#keeperOf(id, files, fresh.get(id)?.home);
      if (home !== undefined) known.set(id, { config, home });
    }
    this.#files = files;
    this.#known = known;
    return configsOf(known);
  }

  /** The file that keeps an object as it was. */
  #keeperOf(id: ConfigId, files: SeenFiles, freshHome: string | undefined): string | undefined {
    const home = this.#homeOf(id, files);
    const seen = at(files, home);
    if (seen !== "gone" && (seen === undefined || seen.parsed.broken.has(id)) && (freshHome ?? "") <= home) return home;
    if (freshHome !== undefined) return undefined;
    const naming = [...files].filter(([, file]) => file?.parsed.broken.has(id)).map(([path]) => path);
    return naming.toSorted().at(-1) ?? (seen !== "gone" && seen?.parsed.unidentified === true ? home : undefined);
  }

  #homeOf(id: ConfigId, files: SeenFiles): string {
    const home = this.#known.get(id)?.home ?? "";
    const before = this.#files.get(home);
    if (at(files, home) !== "gone" || before === undefined) return home;
    const same = [...files].filter(([, file]) => file?.text === before.text).map(([path]) => path);
    return same.toSorted().at(-1) ?? home;
  }
}

/** Takes each object from the last file, by path, with a good document of it. */
function definedIn(files: SeenFiles): ReadonlyMap<ConfigId, Known> {
  const known = new Map<ConfigId, Known>();
  for (const home of [...files.keys()].toSorted()) {
    for (const config of files.get(home)?.parsed.configs ?? []) {
      known.set(configId(config.kind, config.namespace, config.name), { config, home });
    }
  }
  return known;
}

function configsOf(known: ReadonlyMap<ConfigId, Known>): ObjectsById {
  return new Map(Array.from(known, ([id, { config }]) => [id, config]));
}

function at(files: SeenFiles, path: string): SeenFile | undefined | "gone" {
  if (files.has(path)) return files.get(path);
  const closed = [...files].some(([above, file]) => file === undefined && path.startsWith(`${above}/`));
  return closed ? undefined : "gone";
}

/** A second implementation of the file search, written in another way than the source. */
function seenIn(directory: string, before: SeenFiles): SeenFiles | undefined {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const files = new Map<string, SeenFile | undefined>();
  const visited = new Set([realpathSync(directory)]);
  const visit = (path: string): void => {
    try {
      const isFolder = statSync(path).isDirectory();
      const real = realpathSync(path);
      if (visited.has(real) || !(isFolder || /\.ya?ml$/u.test(path))) return;
      visited.add(real);
      if (isFolder) visitAll(path);
      else files.set(path, read(path, before.get(path)));
    } catch {
      files.set(path, undefined);
    }
  };
  const visitAll = (folder: string): void => {
    for (const name of readdirSync(folder).toSorted()) if (!/^[.#~]|~$/u.test(name)) visit(join(folder, name));
  };
  visitAll(directory);
  return files;
}

function read(path: string, before: SeenFile | undefined): SeenFile {
  const text = decodeText(readFileSync(path));
  if (before?.text === text) return before;
  return { text, parsed: parseConfigs({ text, file: path, source: "rule", kinds, defaultNamespace: "default" }) };
}
