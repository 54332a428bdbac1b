import { buildGalley } from "../../../src/app/build-galley.ts";
import type { Config } from "../../../src/config/config.ts";
import { meshConfig } from "../../../src/config/kinds/mesh-config.ts";
import { kindServedAs, kinds } from "../../../src/config/kinds.ts";
import { parseMeshConfig } from "../../../src/config/parse/mesh-files.ts";
import { parseConfigs } from "../../../src/config/parse/parse.ts";
import { debounce, immediate } from "../../../src/galley/snapshotter/strategy.ts";
import { FileContent } from "../../../src/galley/source/file/file-content.ts";
import { FileTree, type FileView } from "../../../src/galley/source/file/file-tree.ts";
import type { Source, SourceEvent, SourceHandler } from "../../../src/galley/source/source.ts";
import type { Clock } from "../../../src/lib/time/clock.ts";
import { SnapshotCache } from "../../../src/mcp/snapshot-cache.ts";

/** How long the recorded Galley let changes settle: both of its pipelines had a way of their own. */
export const pauses = {
  old: { quietMs: 1000, maxWaitMs: 1000 },
  new: { quietMs: 500, maxWaitMs: 2000 },
};

/** Files and a mesh configuration that are read when a test says so, as the recorded Galley read them on a signal. */
class DiskSource implements Source {
  readonly name = "file:conf";
  readonly collections = kinds.map(({ collection }) => collection);
  readonly #content = new FileContent(collectionOf);
  readonly #disk: ReadonlyMap<string, string>;
  #handler: SourceHandler | undefined;

  constructor(disk: ReadonlyMap<string, string>) {
    this.#disk = disk;
  }

  start(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
    const synced = this.collections.map((collection): SourceEvent => ({ type: "fullSync", collection }));
    handler([...this.#files(), ...this.#mesh(), ...synced]);
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#handler = undefined;
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  /** Reads all files but that of the mesh, which it reads when it is told of it. */
  look(): void {
    this.#handler?.(this.#files());
  }

  lookAtMesh(): void {
    this.#handler?.(this.#mesh());
  }

  #files(): readonly SourceEvent[] {
    const files = [...this.#disk].filter(([file]) => file !== meshFile && /\.ya?ml$/.test(file));
    return this.#content.take(new FileTree(files.map(([file, text]) => [file, viewOf(file, text)])));
  }

  #mesh(): readonly SourceEvent[] {
    const { config } = parseMeshConfig({ text: this.#disk.get(meshFile) ?? "", file: meshFile, source: "mesh" });
    return config === undefined ? [] : [{ type: "upserted", collection: meshConfig.collection, config }];
  }
}

export const meshFile = "mesh.yaml";

/** All cases begin with the same files. */
const views = new Map<string, FileView>();

function viewOf(file: string, text: string): FileView {
  const key = `${file}\n${text}`;
  const known = views.get(key);
  if (known !== undefined) return known;
  const parsed = parseConfigs({ text, file, source: "file:conf", kinds, defaultNamespace: "default" });
  const view: FileView = { type: "read", text, parsed, leftOut: 0 };
  views.set(key, view);
  return view;
}

function collectionOf({ apiVersion, kind }: Config): string {
  return kindServedAs(kinds, apiVersion, kind)?.collection ?? "";
}

/** Our Galley over these files, from sources to the cache that MCP serves. */
export function replayGalley(disk: ReadonlyMap<string, string>, clock: Clock, pause: keyof typeof pauses) {
  const source = new DiskSource(disk);
  const cache = new SnapshotCache();
  const { processor, snapshotter } = buildGalley({
    sources: [source],
    distributor: cache,
    strategyOf: (group) => (group === "default" ? debounce({ clock, ...pauses[pause] }) : immediate()),
    onSnapshotError: (error) => {
      throw error;
    },
  });
  snapshotter.start();
  return { cache, source, start: () => processor.start(), stop: () => snapshotter.stop() };
}
