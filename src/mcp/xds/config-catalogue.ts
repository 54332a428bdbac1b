import { syntheticEntries } from "../../config/mesh/mesh-service.ts";
import type { Lease, ResourceSource } from "../../xds/resource-source.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import { ResourceSet } from "../../xds/resources/resource-set.ts";
import type { Target } from "../../xds/resources/target.ts";
import type { EnvelopeError } from "../envelope/envelope-error.ts";
import { type CollectionSets, type Form, FormedSets } from "../formed-sets.ts";
import type { SnapshotCache } from "../snapshot-cache.ts";
import type { ConfigClient } from "./config-client.ts";
import { asWritten, forOthers } from "./config-form.ts";
import { type ConfigType, configType, configTypes, meshConfigType } from "./config-types.ts";
import { VisibleViews } from "./visible-views.ts";

export interface ConfigCatalogueOptions {
  readonly cache: SnapshotCache;
  /** What short hosts are completed with. */
  readonly domain: string;
  /** Takes objects that cannot be sent. */
  readonly onRefused: (collection: string, error: EnvelopeError) => void;
}

/** As many classes of clients as are remembered. Whoever comes after that costs a little more, and no more. */
const maxClasses = 32;

/**
 * The collections of a cache as an xDS server serves them. Clients that are told the same share it: what they may see,
 * and whether hosts are written out for them. Every type is answered, with nothing if we have never heard of it (XS-2).
 */
export class ConfigCatalogue implements ResourceSource<ConfigClient> {
  readonly types: readonly ResourceType[] = configTypes.map(resourceTypeOf);
  readonly #options: ConfigCatalogueOptions;
  readonly #forOthers: Form;
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

  /** Undefined before there is a snapshot: an empty answer would take away what a client has (XS-12). */
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
    const made = new FormedSets(client.takesAsWritten ? asWritten : this.#forOthers, views, onRefused);
    // What is forgotten is made again of the same objects: clients see no difference.
    if (this.#sets.size >= maxClasses) this.#sets.clear();
    this.#sets.set(id, made);
    return made;
  }
}

/** Who does not take services as they are gets them as ServiceEntries, beside those that were written. */
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
