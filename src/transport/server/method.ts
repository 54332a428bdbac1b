import { GrpcStatus, type GrpcStream, type Peer } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Requests } from "./server-stream.ts";
import { serveUnary, type UnaryMethod } from "./unary.ts";

/** Takes over a new stream; nothing is read from it before `attach`. */
type StreamMethod = (stream: GrpcStream) => void;

/** The methods a server knows, keyed by path: `/package.Service/Method`. */
export interface MethodTables {
  /** Bidirectional methods: the client's half-close ends the stream. */
  readonly methods?: ReadonlyMap<string, StreamMethod>;
  /** One request and many responses: the request is the stream's only message, and its half-close ends nothing. */
  readonly serverStreaming?: ReadonlyMap<string, StreamMethod>;
  readonly unary?: ReadonlyMap<string, UnaryMethod>;
  /** Who may call these methods; everybody, unless it says otherwise. */
  readonly mayCall?: (peer: Peer) => boolean;
  /** Further tables, each with a say of its own on who may call. */
  readonly also?: readonly MethodTables[];
}

/** A method of any kind, as the server runs it. */
export interface Method {
  readonly requests: Requests;
  readonly serve: StreamMethod;
}

export function methodsByPath(tables: MethodTables, logger: Logger): ReadonlyMap<string, Method> {
  const { mayCall = () => true } = tables;
  const guarded = (serve: StreamMethod): StreamMethod => {
    return (stream) => (mayCall(stream.peer) ? serve(stream) : stream.end(GrpcStatus.PERMISSION_DENIED, notForYou));
  };
  const byPath = new Map<string, Method>(tables.also?.flatMap((table) => [...methodsByPath(table, logger)]));
  for (const [path, serve] of tables.methods ?? []) byPath.set(path, { requests: "many", serve: guarded(serve) });
  for (const [path, serve] of tables.serverStreaming ?? []) {
    byPath.set(path, { requests: "one", serve: guarded(serve) });
  }
  for (const [path, method] of tables.unary ?? []) {
    byPath.set(path, { requests: "one", serve: guarded((stream) => serveUnary(stream, method, logger)) });
  }
  return byPath;
}

const notForYou = "this method is for clients on this machine, and for those who proved who they are";
