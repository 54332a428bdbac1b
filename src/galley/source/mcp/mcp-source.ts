import { GrpcStatus, type GrpcStream } from "../../../lib/grpc/grpc-stream.ts";
import { RemoteSource, type ServerConnection } from "../remote/remote-source.ts";
import { McpSession, type McpSessionOptions } from "./mcp-session.ts";

export interface McpSourceOptions extends McpSessionOptions {
  readonly connection: ServerConnection;
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
export interface McpListener {
  /** Rejects when no stream can ever arrive. It may be opened again after a close. */
  open(serve: (stream: GrpcStream) => void): Promise<void>;
  close(): Promise<void>;
}

export interface CalledMcpSourceOptions extends Omit<McpSessionOptions, "connection"> {
  readonly listener: McpListener;
}

/** A Galley that dials us; otherwise like a Galley that we dial. If two dial, the later one counts. */
export function createCalledMcpSource({ listener, ...options }: CalledMcpSourceOptions): McpSource {
  const serve = (stream: GrpcStream) => {
    if (source.session === undefined) stream.end(GrpcStatus.UNAVAILABLE, "the source is stopped");
    else source.session.attach(stream);
  };
  const source: McpSource = new RemoteSource({
    ...options,
    connection: { start: () => listener.open(serve), stop: () => listener.close() },
    newSession: (handler) => new McpSession(options, handler),
  });
  return source;
}
