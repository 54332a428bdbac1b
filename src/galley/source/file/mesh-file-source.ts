import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import { meshNetworks } from "../../../config/kinds/mesh-networks.ts";
import {
  type MessageText,
  type ParsedMessage,
  parseMeshConfig,
  parseMeshNetworks,
} from "../../../config/parse/mesh-files.ts";
import { MeshError } from "../../../lib/errors.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { SourceEvent } from "../source.ts";
import { readText } from "./file-read.ts";
import { whyUnreadable } from "./file-system.ts";
import { FileWatch } from "./file-watch.ts";
import { type FileReader, ReloadingSource, type ReportChanges } from "./reloading-source.ts";

export interface MessageFileOptions {
  readonly file: string;
  readonly clock: Clock;
}

/** The contents of such a file. */
interface MessageFileKind {
  /** The prefix of the file in the source name. */
  readonly scheme: string;
  readonly collection: string;
  readonly parse: (input: MessageText) => ParsedMessage;
}

/** The file of `--mesh`: the one MeshConfig of the mesh. */
export function createMeshFileSource(options: MessageFileOptions): ReloadingSource {
  const { collection } = meshConfig;
  return createMessageFileSource({ scheme: "mesh", collection, parse: parseMeshConfig }, options);
}

/** The file of `--networks`: the one MeshNetworks of the mesh. */
export function createNetworksFileSource(options: MessageFileOptions): ReloadingSource {
  const { collection } = meshNetworks;
  return createMessageFileSource({ scheme: "networks", collection, parse: parseMeshNetworks }, options);
}

/**
 * Watches a file that is one message: the only object of its collection. While the file has an error or is missing, the
 * last good message stays. Before the first good message, the collection is empty and the defaults apply.
 */
function createMessageFileSource(kind: MessageFileKind, { file, clock }: MessageFileOptions): ReloadingSource {
  const name = `${kind.scheme}:${file}`;
  return new ReloadingSource({
    name,
    collections: [kind.collection],
    clock,
    open: (changed) => new MessageFileReader(kind, { file, name }, new FileWatch({ clock, onChange: changed })),
  });
}

class MessageFileReader implements FileReader {
  readonly #kind: MessageFileKind;
  readonly #file: string;
  readonly #name: string;
  readonly #watch: FileWatch;
  #text: string | undefined;
  #ailing = false;

  constructor(
    kind: MessageFileKind,
    { file, name }: { readonly file: string; readonly name: string },
    watch: FileWatch,
  ) {
    this.#kind = kind;
    this.#file = file;
    this.#name = name;
    this.#watch = watch;
  }

  async look(): Promise<ReportChanges> {
    const text = await this.#load();
    return () => this.#report(text);
  }

  close(): void {
    this.#watch.close();
  }

  #report(text: string): readonly SourceEvent[] {
    if (text === this.#text) return [];
    this.#text = text;
    const { collection, parse } = this.#kind;
    const { config, issues } = parse({ text, file: this.#file, source: this.#name });
    const events: SourceEvent[] = [];
    if (config !== undefined) events.push({ type: "upserted", collection, config });
    if (issues.length > 0 || this.#ailing) events.push({ type: "issues", part: this.#file, issues });
    this.#ailing = issues.length > 0;
    return events;
  }

  async #load(): Promise<string> {
    try {
      await this.#watch.follow(this.#file);
      return await readText(this.#file);
    } catch (cause) {
      throw new MeshError("source-unavailable", whyUnreadable(cause, "file"), { cause });
    } finally {
      this.#watch.sweep();
    }
  }
}
