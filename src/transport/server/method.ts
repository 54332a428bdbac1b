import { GrpcStatus, type GrpcStream, type Peer } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Authenticate } from "../credentials/authenticator.ts";
import type { Requests } from "./server-stream.ts";
import { serveUnary, type UnaryMethod } from "./unary.ts";

/** Takes over a new stream. Nothing is read from the stream before `attach`. */
type StreamMethod = (stream: GrpcStream) => void;

/** The methods of a server, keyed by path: `/package.Service/Method`. */
export interface MethodTables {
  /** Bidirectional methods: the client's half-close ends the stream. */
  readonly methods?: ReadonlyMap<string, StreamMethod>;
  /**
   * One request and many responses. The request is the stream's only message, and its half-close does not end the
   * stream.
   */
  readonly serverStreaming?: ReadonlyMap<string, StreamMethod>;
  readonly unary?: ReadonlyMap<string, UnaryMethod>;
  /** Whether a peer may call these methods. Default: every peer. */
  readonly mayCall?: (peer: Peer) => boolean;
  /** Authenticates the callers of these methods. Default: that of the server. */
  readonly authenticate?: Authenticate;
  /** Further tables, each with its own `mayCall`. */
  readonly also?: readonly MethodTables[];
}

/** A method of any kind, in the form that the server runs. */
export interface Method {
  readonly requests: Requests;
  readonly serve: StreamMethod;
  readonly authenticate?: Authenticate | undefined;
}

export function methodsByPath(tables: MethodTables, logger: Logger): ReadonlyMap<string, Method> {
  const { mayCall = () => true, authenticate } = tables;
  const guarded = (serve: StreamMethod): StreamMethod => {
    return (stream) => (mayCall(stream.peer) ? serve(stream) : stream.end(GrpcStatus.PERMISSION_DENIED, notPermitted));
  };
  const byPath = new Map<string, Method>(tables.also?.flatMap((table) => [...methodsByPath(table, logger)]));
  for (const [path, serve] of tables.methods ?? [])
    byPath.set(path, { requests: "many", serve: guarded(serve), authenticate });
  for (const [path, serve] of tables.serverStreaming ?? []) {
    byPath.set(path, { requests: "one", serve: guarded(serve), authenticate });
  }
  for (const [path, method] of tables.unary ?? []) {
    const serve = guarded((stream) => serveUnary(stream, method, logger));
    byPath.set(path, { requests: "one", serve, authenticate });
  }
  return byPath;
}

const notPermitted = "this method is only for clients on this machine and for authenticated clients";
