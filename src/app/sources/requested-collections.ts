import { receivedCollections } from "../../galley/source/remote/received-collections.ts";
import type { McpCollection } from "../../mcp/collections.ts";
import type { SourceTools } from "./make-source.ts";

/** Collections to request from a peer: all if sinks may request all from us, else those this process uses. */
export function requestedCollections({
  kinds,
  options,
}: Pick<SourceTools, "kinds" | "options">): readonly McpCollection[] {
  return receivedCollections(kinds, { forwards: options.mcp !== "off" || options.mcpSink !== undefined });
}
