import { readFile, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { parseMeshConfig } from "../../config/mesh-config.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { type FileReader, ReloadingSource } from "./file-reload.ts";
import { FileWatch } from "./file-watch.ts";
import type { SourceEvent } from "./source.ts";

export interface MeshFileOptions {
  readonly file: string;
  readonly clock: Clock;
}

/**
 * The file of `--mesh`, watched: the one MeshConfig of the mesh. While it has an error, or is gone, the last good one
 * stands; before there was one, the collection is empty and the defaults hold.
 */
export function meshFileSource({ file, clock }: MeshFileOptions): ReloadingSource {
  return new ReloadingSource({
    name: nameOf(file),
    collections: [meshConfig.collection],
    clock,
    open: (changed) => new MeshFileReader(file, changed),
  });
}

class MeshFileReader implements FileReader {
  readonly #file: string;
  readonly #watch: FileWatch;
  #text: string | undefined;
  #ailing = false;

  constructor(file: string, changed: () => void) {
    this.#file = file;
    this.#watch = new FileWatch(changed);
  }

  async read(): Promise<readonly SourceEvent[]> {
    const text = await this.#load();
    if (text === this.#text) return [];
    this.#text = text;
    const { config, issues } = parseMeshConfig({ text, file: this.#file, source: nameOf(this.#file) });
    const events: SourceEvent[] = [];
    if (config !== undefined) events.push({ type: "upserted", collection: meshConfig.collection, config });
    if (issues.length > 0 || this.#ailing) events.push({ type: "issues", part: this.#file, issues });
    this.#ailing = issues.length > 0;
    return events;
  }

  close(): void {
    this.#watch.close();
  }

  async #load(): Promise<string> {
    try {
      // The directory, since most editors put a new file in the place of the old one; and, where the file is a link,
      // the directory of its target.
      this.#watch.visit(dirname(resolve(this.#file)));
      this.#watch.visit(dirname(await realpath(this.#file)));
      this.#watch.sweep();
      return await readFile(this.#file, "utf8");
    } catch (cause) {
      throw new MeshError("source-unavailable", errorFrom(cause).message, { cause });
    }
  }
}

function nameOf(file: string): string {
  return `mesh:${file}`;
}
