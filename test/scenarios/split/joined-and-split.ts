import { wire, wireGalley } from "../../../src/app/wire.ts";
import { mcpForm } from "../../../src/mcp/encoded-sets.ts";
import { YamlSource } from "../../../src/testing/galley/yaml-source.ts";
import { until } from "../../../src/testing/until.ts";
import { settled } from "./settled.ts";

/** A document to write or to delete. */
export interface DocumentEdit {
  readonly document: object;
  readonly deleted: boolean;
}

/** One configuration on two paths: in one process, and from Galley to Pilot over a socket. */
export class JoinedAndSplit implements AsyncDisposable {
  readonly #sources: readonly YamlSource[];
  readonly #joined;
  readonly #galley;
  readonly #pilot;

  private constructor(galleyAddress: string, galley: ReturnType<typeof wireGalley>, sources: readonly YamlSource[]) {
    this.#sources = sources;
    this.#galley = galley;
    this.#joined = wire(...settled({}, sources[0]));
    this.#pilot = wire(...settled({ sources: [`mcp://${galleyAddress}`] }), ["pilot"]);
  }

  static async open(): Promise<JoinedAndSplit> {
    const sources = ["joined", "apart"].map((name) => new YamlSource(`memory:${name}`));
    const galley = wireGalley(...settled({ mcp: "127.0.0.1:0" }, sources[1]));
    await galley.lifecycle.start();
    const mesh = new JoinedAndSplit(galley.listeners.addresses.mcp, galley, sources);
    await Promise.all([mesh.#joined.lifecycle.start(), mesh.#pilot.lifecycle.start()]);
    return mesh;
  }

  /** The xDS addresses: of the single process, and of the separate Pilot. */
  get addresses(): readonly [joined: string, apart: string] {
    return [this.#joined.listeners.addresses.xds, this.#pilot.listeners.addresses.xds];
  }

  apply(edits: readonly DocumentEdit[]): void {
    for (const source of this.#sources) {
      source.batch(() => {
        for (const { document, deleted } of edits) source[deleted ? "remove" : "applyValid"](JSON.stringify(document));
      });
    }
  }

  /** Deletes everything with the next edit. */
  clear(): void {
    for (const source of this.#sources) source.clear();
  }

  /** Resolves when proxies of both get all objects. */
  async settle(): Promise<void> {
    const [galley] = this.#pilot.mcp.galleys.sources;
    const sets = this.#galley.mcp.cache.sets(mcpForm);
    const arrived = () =>
      galley?.session?.sink.status.every(
        ({ collection, systemVersion }) => systemVersion === sets.get(collection)?.version,
      ) === true;
    await until(arrived);
    await Promise.all([this.#joined.discovery.idle(), this.#pilot.discovery.idle()]);
  }

  /** The problems of all processes. */
  get problems(): readonly unknown[] {
    return [...this.#joined.pilot.problems, ...this.#pilot.pilot.problems, ...this.#galley.galley.problems];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#joined.lifecycle.stop(), this.#pilot.lifecycle.stop()]);
    await this.#galley.lifecycle.stop();
  }
}
