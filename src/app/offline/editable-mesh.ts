import { type Config, configKey } from "../../config/config.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import type { Resource } from "../../pilot/model/resource.ts";
import type { Lease } from "../../xds/resource-source.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import type { Pipeline } from "../pipeline.ts";
import { EditableSource, type SourceEdit } from "./editable-source.ts";
import { type OfflineOptions, offlinePipeline } from "./offline-pipeline.ts";

/** Another version of an object that a source has, or its removal. The other version may have another name. */
export interface ObjectEdit {
  readonly object: Config;
  readonly version: Config | undefined;
}

/**
 * A mesh without a server whose objects can be changed and changed back. Each change takes the same way as a change of
 * a file on a server, so that the resources after it are those that proxies would get.
 */
export class EditableMesh implements AsyncDisposable {
  readonly #pipeline: Pipeline;
  readonly #sources: readonly EditableSource[];
  /** The last lease of each proxy and type. Parts in use are updated, and not made anew. */
  readonly #leases = new Map<Proxy, Map<string, Lease>>();

  private constructor(pipeline: Pipeline, sources: readonly EditableSource[]) {
    this.#pipeline = pipeline;
    this.#sources = sources;
  }

  /** Throws `source-unavailable` for missing inputs. */
  static async open(options: OfflineOptions): Promise<EditableMesh> {
    const sources: EditableSource[] = [];
    const pipeline = await offlinePipeline(options, (source) => {
      const editable = new EditableSource(source);
      sources.push(editable);
      return editable;
    });
    const mesh = new EditableMesh(pipeline, sources);
    pipeline.snapshotter.start();
    await pipeline.processor.start();
    await pipeline.link.complete;
    await pipeline.discovery.idle();
    return mesh;
  }

  /** The objects that are in force, as the sources have them. */
  get objects(): readonly Config[] {
    const winners = new Map<string, Config>();
    for (const source of this.#sources) {
      for (const { collection, config } of source.objects()) {
        const key = `${collection} ${configKey(config)}`;
        // The first source has precedence.
        if (!winners.has(key)) winners.set(key, config);
      }
    }
    return [...winners.values()];
  }

  get types(): readonly ResourceType[] {
    return this.#pipeline.discovery.catalogue.types;
  }

  get push(): PushContext {
    return this.#pipeline.discovery.catalogue.published;
  }

  /** Changes these objects, and changes all others back. */
  async edit(edits: readonly ObjectEdit[]): Promise<void> {
    for (const source of this.#sources) source.edit(editsOf(source, edits));
    await this.#pipeline.discovery.idle();
  }

  /** The resources of one type that a proxy would get now. */
  resourcesFor(proxy: Proxy, type: ResourceType): readonly Resource[] {
    const leases = this.#leases.get(proxy) ?? new Map<string, Lease>();
    this.#leases.set(proxy, leases);
    const lease = this.#pipeline.discovery.catalogue.lease(type, proxy, "all");
    leases.get(type.typeUrl)?.end();
    leases.set(type.typeUrl, lease);
    // The protocol type hides the owners of a resource; our generators made these resources.
    return (lease.target ?? []).flatMap((set) => [...set] as Resource[]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pipeline.processor.stop();
    this.#pipeline.snapshotter.stop();
    this.#pipeline.discovery.stop();
  }
}

/** The edits of the objects that are from this source. */
function editsOf(source: EditableSource, edits: readonly ObjectEdit[]): readonly SourceEdit[] {
  return edits.flatMap(({ object, version }) => {
    const collection = source.collectionOf(object);
    if (collection === undefined) return [];
    const [before, after] = [configKey(object), version && configKey(version)];
    const removal = after === before ? [] : [{ collection, key: before, config: undefined }];
    return after === undefined ? removal : [...removal, { collection, key: after, config: version }];
  });
}
