import type { Client, Lease, ResourceSource } from "./resource-source.ts";
import { envoyResourceTypes, type ResourceType } from "./resource-type.ts";
import { makeResource, type PlainResource } from "./resources/make-resource.ts";
import { ResourceSet } from "./resources/resource-set.ts";

export interface SnapshotSourceOptions<C extends Client> {
  /** The served types. Default: Envoy's types. */
  readonly types?: readonly ResourceType[];
  /** Returns the group of a client. Clients of one group share one snapshot. Default: every node is its own group. */
  readonly groupOf?: (client: C) => string;
}

/** All resources for the clients of one group. */
export interface Snapshot {
  readonly resources: readonly PlainResource[];
  /** The version that responses carry: one for all types, or one by type URL. Default: a digest of the content. */
  readonly version?: string | ReadonlyMap<string, string>;
}

/**
 * A source that serves one snapshot per group. Resources that did not change between snapshots are not sent again.
 * Clients of a group without a snapshot wait.
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

  /** Removes the snapshot of a group. Its clients keep their resources and get no more updates. */
  clear(group: string): void {
    this.#snapshots.delete(group);
  }

  /** Calls the listener after every change. Returns a function that unsubscribes. */
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
