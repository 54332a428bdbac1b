import { syntheticEntries } from "../../config/mesh/mesh-service.ts";
import type { Lease, ResourceSource } from "../../xds/resource-source.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import { ResourceSet } from "../../xds/resources/resource-set.ts";
import type { Target } from "../../xds/resources/target.ts";
import { type CollectionSets, EncodedSets, type WireForm } from "../encoded-sets.ts";
import type { EnvelopeError } from "../envelope/envelope-error.ts";
import type { SnapshotCache } from "../snapshot-cache.ts";
import type { ConfigClient } from "./config-client.ts";
import { asWritten, forOthers } from "./config-form.ts";
import { type ConfigType, configType, configTypes, meshConfigType } from "./config-types.ts";
import { VisibleViews } from "./visible-views.ts";

export interface ConfigCatalogueOptions {
  readonly cache: SnapshotCache;
  /** The domain suffix for short hostnames. */
  readonly domain: string;
  /** Receives objects that cannot be sent. */
  readonly onRefused: (collection: string, error: EnvelopeError) => void;
}

/** The most client classes in the cache. Further classes only cost some recomputation. */
const maxClasses = 32;

/**
 * The collections of a cache as an xDS server serves them. Clients with equal visibility and equal host form share the
 * result. Every type gets an answer, and an unknown type an empty one (XS-2).
 */
export class ConfigCatalogue implements ResourceSource<ConfigClient> {
  readonly types: readonly ResourceType[] = configTypes.map(resourceTypeOf);
  readonly #options: ConfigCatalogueOptions;
  readonly #forOthers: WireForm;
  readonly #sets = new Map<string, CollectionSets>();

  constructor(options: ConfigCatalogueOptions) {
    this.#options = options;
    this.#forOthers = forOthers(options.domain);
  }

  unlisted(typeUrl: string): ResourceType {
    return { typeUrl, shortName: typeUrl, sotw: "whole" };
  }

  lease({ typeUrl }: ResourceType, client: ConfigClient): Lease {
    const id = classOf(client);
    const targetNow = () => this.#target(typeUrl, client, id);
    return {
      id,
      get target() {
        return targetNow();
      },
      end: () => undefined,
    };
  }

  /** Undefined before the first snapshot, because an empty answer would delete the client's objects (XS-12). */
  #target(typeUrl: string, client: ConfigClient, id: string): Target | undefined {
    const type = configType(typeUrl);
    if (type === undefined) return [ResourceSet.empty];
    const sets = this.#setsOf(client, id);
    const parts = collectionsOf(type, client).map((collection) => sets.get(collection));
    return parts.some((part) => part === undefined) ? undefined : parts.filter((part) => part !== undefined);
  }

  #setsOf(client: ConfigClient, id: string): CollectionSets {
    const known = this.#sets.get(id);
    if (known !== undefined) return known;
    const { cache, onRefused } = this.#options;
    const views = new VisibleViews(cache, client.revision);
    const made = new EncodedSets(client.takesAsWritten ? asWritten : this.#forOthers, views, onRefused);
    // Dropped sets are rebuilt from the same objects, so clients see no difference.
    if (this.#sets.size >= maxClasses) this.#sets.clear();
    this.#sets.set(id, made);
    return made;
  }
}

/** Clients that do not take native services get them as ServiceEntries, together with user-written entries. */
function collectionsOf({ collection }: ConfigType, { takesAsWritten }: ConfigClient): readonly string[] {
  const isEntries = collection.kind.kind === "ServiceEntry" && collection.name !== syntheticEntries;
  return isEntries && !takesAsWritten ? [collection.name, syntheticEntries] : [collection.name];
}

function classOf({ revision, takesAsWritten }: ConfigClient): string {
  return JSON.stringify([revision, takesAsWritten]);
}

function resourceTypeOf({ typeUrl, collection }: ConfigType): ResourceType {
  const type = { typeUrl, shortName: collection.kind.kind, sotw: "whole" } as const;
  return typeUrl === meshConfigType ? { ...type, neverAcknowledged: true } : type;
}
