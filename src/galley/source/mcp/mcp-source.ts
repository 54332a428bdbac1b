import type { Clock } from "../../../lib/clock.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { SinkObserver } from "../../../mcp/observer.ts";
import { McpSession } from "./mcp-session.ts";
import { type Line, RemoteSource } from "./remote-source.ts";

export interface McpSourceOptions {
  readonly name: string;
  readonly line: Line;
  /** What is asked for. */
  readonly collections: readonly McpCollection[];
  /** Whether differences are asked for, where only full states would do. */
  readonly incremental: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: SinkObserver;
}

export type McpSource = RemoteSource<McpSession>;

/**
 * A Galley somewhere else, read over MCP. It is stale while there is no stream, or one that has not told yet what
 * changed meanwhile; all it said stays. After a restart that changed nothing it says nothing.
 */
export function createMcpSource(options: McpSourceOptions): McpSource {
  return new RemoteSource({ ...options, newSession: (handler) => new McpSession(options, handler) });
}
