import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { syntheticEntries } from "../../config/mesh/mesh-service.ts";
import { type McpCollection, mcpCollections } from "../collections.ts";

/**
 * What clients of MCP over xDS ask for: `group/version/Kind`, which is no type of protobuf. All versions of a kind are
 * one collection, each under a URL of its own; a collection that is no kind goes by its name.
 */
export interface ConfigType {
  readonly typeUrl: string;
  readonly collection: McpCollection;
}

/** The one type whose objects travel without an envelope, and which some clients never acknowledge. */
export const meshConfigType = "core/v1alpha1/MeshConfig";

/** The URLs of a collection, the preferred version first. */
export function typeUrlsOf({ name, kind }: McpCollection): readonly string[] {
  if (name === meshConfig.collection) return [meshConfigType];
  if (isOurs(name)) return [name];
  const apiVersions = kind.versions.map((version) => `${kind.group || "core"}/${version}`);
  return [...apiVersions, ...(kind.aliases ?? [])].map((apiVersion) => `${apiVersion}/${kind.kind}`);
}

/** All there are, in the order of the collections. */
export const configTypes: readonly ConfigType[] = mcpCollections.flatMap((collection) =>
  typeUrlsOf(collection).map((typeUrl) => ({ typeUrl, collection })),
);

const byTypeUrl = new Map(configTypes.map((type) => [type.typeUrl, type]));

export function configType(typeUrl: string): ConfigType | undefined {
  return byTypeUrl.get(typeUrl);
}

/** Their kinds have other collections, too. */
function isOurs(name: string): boolean {
  return name === syntheticEntries || name.startsWith("binnacle/");
}
