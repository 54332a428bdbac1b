import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { parseMeshConfig } from "../../config/mesh-config.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { readText } from "./file-read.ts";
import { type FileReader, ReloadingSource, type Tell } from "./file-reload.ts";
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
    open: (changed) => new MeshFileReader(file, new FileWatch({ clock, onChange: changed })),
  });
}

class MeshFileReader implements FileReader {
  readonly #file: string;
  readonly #watch: FileWatch;
  #text: string | undefined;
  #ailing = false;

  constructor(file: string, watch: FileWatch) {
    this.#file = file;
    this.#watch = watch;
  }

  async look(): Promise<Tell> {
    const text = await this.#load();
    return () => this.#tell(text);
  }

  close(): void {
    this.#watch.close();
  }

  #tell(text: string): readonly SourceEvent[] {
    if (text === this.#text) return [];
    this.#text = text;
    const { config, issues } = parseMeshConfig({ text, file: this.#file, source: nameOf(this.#file) });
    const events: SourceEvent[] = [];
    if (config !== undefined) events.push({ type: "upserted", collection: meshConfig.collection, config });
    if (issues.length > 0 || this.#ailing) events.push({ type: "issues", part: this.#file, issues });
    this.#ailing = issues.length > 0;
    return events;
  }

  async #load(): Promise<string> {
    try {
      await this.#watch.follow(this.#file);
      return await readText(this.#file);
    } catch (cause) {
      throw new MeshError("source-unavailable", errorFrom(cause).message, { cause });
    } finally {
      this.#watch.sweep();
    }
  }
}

function nameOf(file: string): string {
  return `mesh:${file}`;
}
