import { type Config, configKey } from "../../config/config.ts";
import { withFullHosts } from "../../config/full-hosts.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { syntheticEntries } from "../../config/mesh/mesh-service.ts";
import { oncePer } from "../../lib/memo.ts";
import { makeResource } from "../../xds/resources/make-resource.ts";
import { varintLength, WireWriter } from "../../xds/wire/wire.ts";
import type { McpCollection } from "../collections.ts";
import { encodeResource, envelopeOf } from "../envelope/encode-resource.ts";
import type { Form } from "../formed-sets.ts";

export const envelopeType = "type.googleapis.com/istio.mcp.v1alpha1.Resource";

/** What entries that were made of services are called, so that clients can tell them from those that were written. */
const syntheticPrefix = "synthetic-";

/** The key by which a client's store remembers versions: an object must not bring it along (XS-6). */
const reservedAnnotation = "ResourceVersion";

/** Objects as they were written, each in the one collection it is in, for clients that know what short hosts mean. */
export const asWritten: Form = {
  nameOf: wireName,
  versionOf: ({ version }) => version,
  entryOf: oncePer((config: Config, collection: McpCollection) => {
    if (collection.name === meshConfig.collection) return bareEntry(config, collection);
    const name = wireName(config);
    // The very bytes of the other dialect, where the name is the same.
    const isSame = config.namespace !== "";
    const value = isSame ? encodeResource(config, collection) : envelopeOf(config, collection, name);
    return makeResource({ typeUrl: envelopeType, name, value, version: config.version }).entry;
  }),
};

/**
 * Objects for everybody else. A real istiod takes hosts from this road literally, so short ones are written out (XS-8),
 * and what it ignores unless the version differs has a version of its own (XS-5).
 */
export function forOthers(domain: string): Form {
  const published = oncePer((config: Config) => withFullHosts(withoutReserved(config), domain));
  return {
    nameOf: publishedName,
    versionOf: (config) => published(config).version,
    entryOf: oncePer((config: Config, collection: McpCollection) => {
      const copy = published(config);
      const name = publishedName(config, collection);
      if (copy === config && name === wireName(config)) return asWritten.entryOf(config, collection);
      const value = envelopeOf(copy, collection, name);
      return makeResource({ typeUrl: envelopeType, name, value, version: copy.version }).entry;
    }),
  };
}

/** `namespace/name`, and `/name` where there is no namespace (WIRE-1). */
function wireName(config: Config): string {
  return config.namespace === "" ? `/${config.name}` : configKey(config);
}

function publishedName(config: Config, { name: collection }: McpCollection): string {
  return collection === syntheticEntries ? syntheticName(config) : wireName(config);
}

export function syntheticName({ namespace, name }: Pick<Config, "namespace" | "name">): string {
  return `${namespace}/${syntheticPrefix}${name}`;
}

export function isSyntheticName(wireName: string): boolean {
  return wireName.slice(wireName.indexOf("/") + 1).startsWith(syntheticPrefix);
}

/** An entry of a response whose Any is the message itself. */
function bareEntry({ spec }: Config, { body }: McpCollection): Uint8Array {
  const any = body.encode(spec);
  return Buffer.concat([new WireWriter(1 + varintLength(any.length)).header(2, any.length).bytes, any]);
}

function withoutReserved(config: Config): Config {
  if (!Object.hasOwn(config.annotations, reservedAnnotation)) return config;
  const { [reservedAnnotation]: _, ...annotations } = config.annotations;
  return { ...config, annotations };
}
