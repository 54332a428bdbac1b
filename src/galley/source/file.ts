import { readFile } from "node:fs/promises";
import { basename, dirname, resolve, sep } from "node:path";
import type { Config } from "../../config/config.ts";
import type { Kind } from "../../config/kind.ts";
import { kindInGroup, splitApiVersion } from "../../config/kinds.ts";
import { parseConfigs } from "../../config/parse.ts";
import { assert } from "../../lib/assert.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { FileContent } from "./file-content.ts";
import { type FileReader, ReloadingSource, unreadable } from "./file-reload.ts";
import { isMissing, type Walk, walkYaml } from "./file-walk.ts";
import { FileWatch } from "./file-watch.ts";
import type { SourceEvent } from "./source.ts";

export interface FileSourceOptions {
  /** As the user wrote it; places name files below it in the same way. */
  readonly directory: string;
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  /** For objects that name no namespace. */
  readonly defaultNamespace?: string;
}

/** A directory of YAML files, watched. A directory that goes missing later is an issue; its contents are kept. */
export function fileSource(options: FileSourceOptions): ReloadingSource {
  return new ReloadingSource({
    name: nameOf(options),
    collections: options.kinds.map(({ collection }) => collection),
    clock: options.clock,
    open: (changed) => new DirectoryReader(options, changed),
  });
}

/** How many files are open at a time. */
const readsAtOnce = 32;

class DirectoryReader implements FileReader {
  readonly #options: FileSourceOptions;
  readonly #watch: FileWatch;
  readonly #content: FileContent;
  /** As last parsed: a file with the same text says the same. */
  readonly #texts = new Map<string, string>();

  constructor(options: FileSourceOptions, changed: () => void) {
    this.#options = options;
    this.#watch = new FileWatch(changed);
    this.#content = new FileContent((config) => collectionOf(options.kinds, config));
  }

  async read(): Promise<readonly SourceEvent[]> {
    const walk = await this.#walk();
    for (let start = 0; start < walk.files.length; start += readsAtOnce) {
      await Promise.all(walk.files.slice(start, start + readsAtOnce).map((file) => this.#readFile(file)));
    }
    for (const { path, cause } of walk.failures) this.#keep(path, cause);
    const found = new Set(walk.files);
    for (const file of this.#content.files) {
      if (!found.has(file) && !isHidden(file, walk)) this.#remove(file);
    }
    return this.#content.takeEvents();
  }

  close(): void {
    this.#watch.close();
  }

  async #walk(): Promise<Walk> {
    const { directory } = this.#options;
    const root = resolve(directory);
    try {
      // Only its parent tells when a directory comes back, or when a link is put in its place.
      this.#watch.visit(dirname(root), basename(root));
      const walk = await walkYaml(directory, (found) => this.#watch.visit(found));
      this.#watch.sweep();
      return walk;
    } catch (cause) {
      const reason = isMissing(cause) ? "there is no such directory" : errorFrom(cause).message;
      throw new MeshError("source-unavailable", `${nameOf(this.#options)}: ${reason}`, { cause });
    }
  }

  async #readFile(file: string): Promise<void> {
    try {
      const text = await readFile(file, "utf8");
      if (text !== this.#texts.get(file)) this.#parse(file, text);
    } catch (thrown) {
      if (isMissing(thrown)) this.#remove(file);
      else this.#keep(file, thrown);
    }
  }

  #parse(file: string, text: string): void {
    const { kinds, defaultNamespace = "default" } = this.#options;
    this.#content.replace(file, parseConfigs({ text, file, source: nameOf(this.#options), kinds, defaultNamespace }));
    this.#texts.set(file, text);
  }

  /** Once the file can be read again, it is parsed again: its issues have to come back. */
  #keep(file: string, thrown: unknown): void {
    this.#content.keep(file, unreadable(file, thrown));
    this.#texts.delete(file);
  }

  #remove(file: string): void {
    this.#content.remove(file);
    this.#texts.delete(file);
  }
}

function nameOf({ directory }: FileSourceOptions): string {
  return `file:${directory}`;
}

function collectionOf(kinds: readonly Kind[], { apiVersion, kind }: Config): string {
  const row = kindInGroup(kinds, splitApiVersion(apiVersion).group, kind);
  assert(row !== undefined, `${kind} was read because it is among the kinds`);
  return row.collection;
}

/** Within something that could not be looked into. That is no reason to take it for deleted. */
function isHidden(file: string, { failures }: Walk): boolean {
  return failures.some(({ path }) => file === path || file.startsWith(path + sep));
}
