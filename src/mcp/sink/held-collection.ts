import type { Resources } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { hash64 } from "../../lib/hash.ts";
import type { McpCollection } from "../collections.ts";
import type { Rejection } from "../observer.ts";

/** What a sink holds of one collection, for as long as the sink lives: it survives streams. */
export class HeldCollection {
  readonly collection: McpCollection;
  /** Whether the sink asks for differences. */
  readonly incremental: boolean;
  readonly #versions = new Map<string, string>();
  /** Names on the wire of resources that were rejected when they last came, by their content. */
  readonly #rejected = new Map<string, string>();
  #certain = true;
  /** The source's version of what was taken last; undefined before anything was. */
  systemVersion: string | undefined;

  constructor(collection: McpCollection, incremental: boolean) {
    this.collection = collection;
    this.incremental = incremental;
  }

  /** Version by name on the wire. */
  get versions(): ReadonlyMap<string, string> {
    return this.#versions;
  }

  /** Whether that is what the updater holds, too: a message that it threw at may have been half applied. */
  get certain(): boolean {
    return this.#certain;
  }

  /** A message was thrown at: only a whole one makes it certain again what is held. */
  doubt(): void {
    this.#certain = false;
  }

  /** A message was taken: `versions` of it, but not what it names as `kept`, of which the old version stays (4.6). */
  take(message: Resources, versions: ReadonlyMap<string, string>, kept: ReadonlySet<string>): void {
    const gone = message.incremental ? message.removedResources : [...this.#versions.keys()];
    for (const name of gone) if (!kept.has(name)) this.#versions.delete(name);
    for (const [name, version] of versions) if (!kept.has(name)) this.#versions.set(name, version);
    this.systemVersion = message.systemVersionInfo;
    this.#certain ||= !message.incremental;
  }

  /**
   * Notes which resources of a message were rejected. Gives those that the source was not told of yet: a full state
   * holds a bad resource again and again, and one NACK for each distinct content is enough.
   */
  reject(
    { resources, removedResources, incremental }: Resources,
    rejected: readonly Rejection[],
  ): readonly Rejection[] {
    const bodies = new Map(resources.map(({ metadata, body }) => [metadata?.name ?? "", body?.value]));
    const contentOf = ({ name, reason }: Rejection) =>
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
