import { type Line, RemoteSource } from "../remote/remote-source.ts";
import { McpSession, type McpSessionOptions } from "./mcp-session.ts";

export interface McpSourceOptions extends McpSessionOptions {
  readonly line: Line;
}

export type McpSource = RemoteSource<McpSession>;

/**
 * A Galley somewhere else, read over MCP. It is stale while there is no stream, or one that has not told yet what
 * changed meanwhile; all it said stays. After a restart that changed nothing it says nothing.
 */
export function createMcpSource(options: McpSourceOptions): McpSource {
  return new RemoteSource({ ...options, newSession: (handler) => new McpSession(options, handler) });
}
