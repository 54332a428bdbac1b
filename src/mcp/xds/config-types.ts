import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { syntheticEntries } from "../../config/mesh/mesh-service.ts";
import { type McpCollection, mcpCollections } from "../collections.ts";

/**
 * A type in MCP over xDS: `group/version/Kind`, which is no protobuf type. All versions of a kind are one collection,
 * each with its own URL. A collection without a kind uses its name.
 */
export interface ConfigType {
  readonly typeUrl: string;
  readonly collection: McpCollection;
}

/** The only type without an envelope. Some clients never acknowledge it. */
export const meshConfigType = "core/v1alpha1/MeshConfig";

/** The URLs of a collection, the preferred version first. */
export function typeUrlsOf({ name, kind }: McpCollection): readonly string[] {
  if (name === meshConfig.collection) return [meshConfigType];
  if (isOurs(name)) return [name];
  const apiVersions = kind.versions.map((version) => `${kind.group || "core"}/${version}`);
  return [...apiVersions, ...(kind.aliases ?? [])].map((apiVersion) => `${apiVersion}/${kind.kind}`);
}

/** All types, in the order of the collections. */
export const configTypes: readonly ConfigType[] = mcpCollections.flatMap((collection) =>
  typeUrlsOf(collection).map((typeUrl) => ({ typeUrl, collection })),
);

const byTypeUrl = new Map(configTypes.map((type) => [type.typeUrl, type]));

export function configType(typeUrl: string): ConfigType | undefined {
  return byTypeUrl.get(typeUrl);
}

/** The kinds of these collections have other collections, too. */
function isOurs(name: string): boolean {
  return name === syntheticEntries || name.startsWith("binnacle/");
}
