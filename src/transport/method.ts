import type { GrpcStream } from "../lib/grpc-stream.ts";
import type { Logger } from "../lib/logger.ts";
import type { Requests } from "./http2-stream.ts";
import { serveUnary, type UnaryMethod } from "./unary.ts";

/** Takes over a new stream; nothing is read from it before `attach`. */
type StreamMethod = (stream: GrpcStream) => void;

/** The methods a server knows, keyed by path: `/package.Service/Method`. */
export interface MethodTables {
  /** Bidirectional methods: the client's half-close ends the stream. */
  readonly methods: ReadonlyMap<string, StreamMethod>;
  /** One request and many responses: the request is the stream's only message, and its half-close ends nothing. */
  readonly serverStreaming?: ReadonlyMap<string, StreamMethod>;
  readonly unary?: ReadonlyMap<string, UnaryMethod>;
}

/** A method of any kind, as the server runs it. */
export interface Method {
  readonly requests: Requests;
  readonly serve: StreamMethod;
}

export function methodsByPath(tables: MethodTables, logger: Logger): ReadonlyMap<string, Method> {
  const byPath = new Map<string, Method>();
  for (const [path, serve] of tables.methods) byPath.set(path, { requests: "many", serve });
  for (const [path, serve] of tables.serverStreaming ?? []) byPath.set(path, { requests: "one", serve });
  for (const [path, method] of tables.unary ?? []) {
    byPath.set(path, { requests: "one", serve: (stream) => serveUnary(stream, method, logger) });
  }
  return byPath;
}
