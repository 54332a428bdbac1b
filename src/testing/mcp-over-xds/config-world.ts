import { type Config, configKey } from "../../config/config.ts";
import { outputOf, type SnapshotGroup } from "../../config/kind.ts";
import { kindOf, kinds } from "../../config/kinds.ts";
import { assert } from "../../lib/assert.ts";
import { mcpCollections } from "../../mcp/collections.ts";
import { SnapshotCache } from "../../mcp/snapshot-cache.ts";
import { configsIn } from "../config/configs-in.ts";
import { McpMesh } from "../mcp/mcp-mesh.ts";

/**
 * The published state of a Galley under control of a test. Tests write objects as YAML, and every change is a snapshot.
 */
export class ConfigWorld {
  readonly #mesh: McpMesh;

  constructor(collections = mcpCollections) {
    const names = mcpCollections.map(({ name }) => name);
    this.#mesh = new McpMesh(names, new SnapshotCache({ collections }));
  }

  get cache(): SnapshotCache {
    return this.#mesh.cache;
  }

  /** Adds objects, or replaces those with the same names. */
  apply(...texts: readonly string[]): void {
    this.put(texts.flatMap((text) => configsIn(text)));
  }

  put(configs: readonly Config[]): void {
    for (const config of configs) this.#objects(outputCollection(config)).set(configKey(config), config);
    this.publish();
  }

  /** Puts an object into a collection that users do not write by hand. */
  set(collection: string, config: Config): void {
    this.#objects(collection).set(configKey(config), config);
    this.publish();
  }

  /** Deletes an object, by its kind or by its collection. */
  remove(kind: string, key: string): void {
    const row = kinds.find((each) => each.kind === kind);
    this.#objects((row && outputOf(row)) ?? kind).delete(key);
    this.publish();
  }

  publish(groups?: readonly SnapshotGroup[]): void {
    this.#mesh.publish(groups);
  }

  #objects(collection: string) {
    const objects = this.#mesh.objects.get(collection);
    assert(objects !== undefined, `${collection} travels`);
    return objects;
  }
}

function outputCollection({ apiVersion, kind }: Config): string {
  const row = kindOf(apiVersion, kind);
  return (row && outputOf(row)) ?? kind;
}
