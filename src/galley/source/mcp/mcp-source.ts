import { type Line, RemoteSource } from "../remote/remote-source.ts";
import { McpSession, type McpSessionOptions } from "./mcp-session.ts";

export interface McpSourceOptions extends McpSessionOptions {
  readonly line: Line;
}

export type McpSource = RemoteSource<McpSession>;

/**
 * Reads a remote Galley over MCP. The source is stale without a stream, and until a new stream has sent the missed
 * changes. All objects stay meanwhile. A restart without changes produces no events.
 */
export function createMcpSource(options: McpSourceOptions): McpSource {
  return new RemoteSource({ ...options, newSession: (handler) => new McpSession(options, handler) });
}
