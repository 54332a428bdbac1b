import { type Config, configKey } from "../../config/config.ts";
import { withFullHosts } from "../../config/full-hosts.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { syntheticEntries } from "../../config/mesh/mesh-service.ts";
import { oncePer } from "../../lib/memo.ts";
import { makeResource } from "../../xds/resources/make-resource.ts";
import { varintLength, WireWriter } from "../../xds/wire/wire-format.ts";
import type { McpCollection } from "../collections.ts";
import type { WireForm } from "../encoded-sets.ts";
import { encodeResource, envelopeOf } from "../envelope/encode-resource.ts";

export const envelopeType = "type.googleapis.com/istio.mcp.v1alpha1.Resource";

/** The name prefix of entries made of services. Clients use it to distinguish them from user-written entries. */
const syntheticPrefix = "synthetic-";

/** The annotation in which a client's store keeps versions. An object must not have it already (XS-6). */
const reservedAnnotation = "ResourceVersion";

/** Objects as users wrote them, each in its own collection, for clients that resolve short hosts. */
export const asWritten: WireForm = {
  nameOf: wireName,
  versionOf: ({ version }) => version,
  entryOf: (config, collection) => writtenEntriesIn(collection)(config),
};

const writtenEntriesIn = oncePer((collection: McpCollection) =>
  oncePer((config: Config) => {
    if (collection.name === meshConfig.collection) return bareEntry(config, collection);
    const name = wireName(config);
    // If the name is the same, the bytes equal those of the other dialect.
    const isSame = config.namespace !== "";
    const value = isSame ? encodeResource(config, collection) : envelopeOf(config, collection, name);
    return makeResource({ typeUrl: envelopeType, name, value, version: config.version }).entry;
  }),
);

/**
 * Objects for all other clients. A real istiod takes hosts from MCP literally, so short hosts are expanded (XS-8). It
 * ignores changes without a new version, so expanded objects have their own version (XS-5).
 */
export function forOthers(domain: string): WireForm {
  const published = oncePer((config: Config) => withFullHosts(withoutReserved(config), domain));
  const entriesIn = oncePer((collection: McpCollection) =>
    oncePer((config: Config) => {
      const copy = published(config);
      const name = publishedName(config, collection);
      if (copy === config && name === wireName(config)) return asWritten.entryOf(config, collection);
      const value = envelopeOf(copy, collection, name);
      return makeResource({ typeUrl: envelopeType, name, value, version: copy.version }).entry;
    }),
  );
  return {
    nameOf: publishedName,
    versionOf: (config) => published(config).version,
    entryOf: (config, collection) => entriesIn(collection)(config),
  };
}

/** `namespace/name`, or `/name` without a namespace (WIRE-1). */
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
