import { receivedCollections } from "../../galley/source/remote/received-collections.ts";
import type { McpCollection } from "../../mcp/collections.ts";
import type { SourceTools } from "./schemes.ts";

/** What a peer is asked for: everything where sinks may ask us for everything, else what this process can use. */
export function askedCollections({ kinds, options }: Pick<SourceTools, "kinds" | "options">): readonly McpCollection[] {
  return receivedCollections(kinds, { forwards: options.mcp !== "off" || options.mcpSink !== undefined });
}
