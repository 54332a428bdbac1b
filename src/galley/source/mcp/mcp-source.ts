import { GrpcStatus, type GrpcStream } from "../../../lib/grpc/grpc-stream.ts";
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

/** The server endpoint that Galleys dial. */
export interface Door {
  /** Rejects when no stream can ever arrive. It may be opened again after a close. */
  open(serve: (stream: GrpcStream) => void): Promise<void>;
  close(): Promise<void>;
}

export interface CalledMcpSourceOptions extends Omit<McpSessionOptions, "line"> {
  readonly door: Door;
}

/** A Galley that dials us; otherwise like a Galley that we dial. If two dial, the later one counts. */
export function createCalledMcpSource({ door, ...options }: CalledMcpSourceOptions): McpSource {
  const serve = (stream: GrpcStream) => {
    if (source.session === undefined) stream.end(GrpcStatus.UNAVAILABLE, "nobody asks for configuration now");
    else source.session.attach(stream);
  };
  const source: McpSource = new RemoteSource({
    ...options,
    line: { start: () => door.open(serve), stop: () => door.close() },
    newSession: (handler) => new McpSession(options, handler),
  });
  return source;
}
