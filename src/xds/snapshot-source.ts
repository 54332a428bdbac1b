import type { Client, Lease, ResourceSource } from "./resource-source.ts";
import { envoyResourceTypes, type ResourceType } from "./resource-type.ts";
import { makeResource, type PlainResource } from "./resources/make-resource.ts";
import { ResourceSet } from "./resources/resource-set.ts";

export interface SnapshotSourceOptions<C extends Client> {
  /** What is served; Envoy's types unless told otherwise. */
  readonly types?: readonly ResourceType[];
  /** Clients of one group share one snapshot. Every node is a group of its own unless told otherwise. */
  readonly groupOf?: (client: C) => string;
}

/** All that the clients of one group are to have. */
export interface Snapshot {
  readonly resources: readonly PlainResource[];
  /** What responses say their version is: one for all types, or by type URL. A digest of the content unless given. */
  readonly version?: string | ReadonlyMap<string, string>;
}

/**
 * A source that is told what to serve, group by group. Whatever did not change from one snapshot to the next is not
 * sent again. Clients of a group that has no snapshot yet wait.
 */
export class SnapshotSource<C extends Client = Client> implements ResourceSource<C> {
  readonly types: readonly ResourceType[];
  readonly #groupOf: (client: C) => string;
  readonly #snapshots = new Map<string, ReadonlyMap<string, ResourceSet>>();
  readonly #listeners = new Set<() => void>();

  constructor({ types = envoyResourceTypes, groupOf = (client) => client.nodeId }: SnapshotSourceOptions<C> = {}) {
    this.types = types;
    this.#groupOf = groupOf;
  }

  /** Replaces the snapshot of a group, all types at once. */
  set(group: string, { resources, version }: Snapshot): void {
    const before = this.#snapshots.get(group);
    const byType = Map.groupBy(resources, ({ typeUrl }) => typeUrl);
    const sets = this.types.map(({ typeUrl }) => {
      const known = before?.get(typeUrl) ?? ResourceSet.empty;
      const next = known.apply({ covers: "all", resources: (byType.get(typeUrl) ?? []).map(makeResource) });
      const label = typeof version === "string" ? version : version?.get(typeUrl);
      return [typeUrl, label === undefined ? next : next.versioned(label)] as const;
    });
    this.#snapshots.set(group, new Map(sets));
    for (const listener of this.#listeners) listener();
  }

  /** Forgets a group: its clients keep what they have and hear no more. */
  clear(group: string): void {
    this.#snapshots.delete(group);
  }

  /** Calls back after every change; returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  lease({ typeUrl }: ResourceType, client: C): Lease {
    const group = this.#groupOf(client);
    const setNow = () => this.#snapshots.get(group)?.get(typeUrl);
    return {
      id: `${group} ${typeUrl}`,
      get target() {
        const set = setNow();
        return set === undefined ? undefined : [set];
      },
      end: () => undefined,
    };
  }
}
