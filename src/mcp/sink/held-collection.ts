import type { Resources } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import type { Resource } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import type { MeshError } from "../../lib/errors.ts";
import { hash64 } from "../../lib/hash.ts";
import type { McpCollection } from "../collections.ts";
import type { RejectedResource } from "../mcp-observer.ts";
import { HeldSizes, type SinkLimits } from "./held-sizes.ts";

/** The resources that a sink holds of one collection. They live as long as the sink and survive streams. */
export class HeldCollection {
  readonly collection: McpCollection;
  /** Whether the sink requests deltas. */
  readonly incremental: boolean;
  readonly #versions = new Map<string, string>();
  /** The wire names of resources that were rejected when they last arrived, by content. */
  readonly #rejected = new Map<string, string>();
  readonly #sizes: HeldSizes;
  #certain = true;
  /** The source's version of the last accepted message. Undefined before the first. */
  systemVersion: string | undefined;

  constructor(collection: McpCollection, incremental: boolean, limits?: SinkLimits) {
    this.collection = collection;
    this.incremental = incremental;
    this.#sizes = new HeldSizes(collection.name, limits);
  }

  /** The limit that a message would exceed in this collection. No part of such a message may be accepted. */
  excessOf({ resources, removedResources, incremental }: Resources): MeshError | undefined {
    const came = new Map(resources.map((resource) => [nameOf(resource), sizeOf(resource)]));
    return this.#sizes.take({ whole: !incremental, removed: removedResources, came });
  }

  /** Versions by wire name. */
  get versions(): ReadonlyMap<string, string> {
    return this.#versions;
  }

  /** Whether the updater holds the same resources. If it threw at a message, it may have applied a part. */
  get certain(): boolean {
    return this.#certain;
  }

  /** The updater threw at a message. Only a full state that it accepts whole makes the content certain again. */
  doubt(): void {
    this.#certain = false;
  }

  /** A message was accepted with these `versions`. Resources in `kept` keep their old version (4.6). */
  take(message: Resources, versions: ReadonlyMap<string, string>, kept: ReadonlySet<string>): void {
    const gone = message.incremental ? message.removedResources : [...this.#versions.keys()];
    for (const name of gone) if (!kept.has(name)) this.#versions.delete(name);
    for (const [name, version] of versions) if (!kept.has(name)) this.#versions.set(name, version);
    this.systemVersion = message.systemVersionInfo;
    // The updater keeps a rejected resource as it is. After a message that it applied in part, that state is unknown.
    this.#certain ||= !message.incremental && kept.size === 0;
  }

  /**
   * Records the rejected resources of a message. Returns those not yet reported to the source. A full state repeats a
   * bad resource every time, and one NACK per distinct content is enough.
   */
  reject(
    { resources, removedResources, incremental }: Resources,
    rejected: readonly RejectedResource[],
  ): readonly RejectedResource[] {
    const bodies = new Map(resources.map((resource) => [nameOf(resource), resource.body?.value]));
    const contentOf = ({ name, reason }: RejectedResource) =>
      `${name} ${hash64(bodies.get(name) ?? new Uint8Array())} ${reason}`;
    const news = rejected.filter((each) => !this.#rejected.has(contentOf(each)));
    const settled = new Set([...removedResources, ...bodies.keys()]);
    for (const [content, name] of this.#rejected) {
      if (!incremental || settled.has(name)) this.#rejected.delete(content);
    }
    for (const each of rejected) this.#rejected.set(contentOf(each), each.name);
    return news;
  }
}

function nameOf({ metadata }: Resource): string {
  return metadata?.name ?? "";
}

/** The approximate size on the wire. */
function sizeOf({ metadata, body }: Resource): number {
  const texts = metadata === undefined ? [] : textsIn(metadata);
  return texts.reduce((total, text) => total + text.length, body?.value.length ?? 0);
}

function textsIn({ name, version, labels, annotations }: NonNullable<Resource["metadata"]>): readonly string[] {
  return [name, version, ...Object.entries(labels).flat(), ...Object.entries(annotations).flat()];
}
