import { CowMap } from "../../collection/cow-map.ts";
import type { Config } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";
import { SnapshotCache } from "../../mcp/snapshot-cache.ts";
import { mcpObject, travelling } from "./mcp-object.ts";

/** Objects of a few collections, published to a cache when told: a Galley without sources. */
export class McpMesh {
  readonly cache: SnapshotCache;
  /** Collection by collection, object by key. */
  readonly objects = new Map<string, CowMap<Config>>();

  constructor(collections: readonly string[], cache?: SnapshotCache) {
    this.cache = cache ?? new SnapshotCache({ collections: collections.map(travelling) });
    for (const name of collections) this.objects.set(name, new CowMap());
  }

  set(collection: string, key: string, content: string): void {
    this.objects.get(collection)?.set(key, mcpObject(travelling(collection), key, content));
  }

  delete(collection: string, key: string): void {
    this.objects.get(collection)?.delete(key);
  }

  /** One snapshot per group, of all groups unless told otherwise. */
  publish(groups?: readonly SnapshotGroup[]): void {
    const byGroup = Map.groupBy(this.objects.keys(), (name) => travelling(name).group);
    for (const [group, names] of byGroup) {
      if (groups?.includes(group) === false) continue;
      const views = names.flatMap((name) => {
        const map = this.objects.get(name);
        return map === undefined ? [] : [[name, map.freeze(name)] as const];
      });
      this.cache.distribute({ group, collections: new Map(views) });
    }
  }
}
