import type { GrpcStream } from "./grpc-stream.ts";

/** The same stream with another `attach`. */
export function withAttach(stream: GrpcStream, attach: GrpcStream["attach"]): GrpcStream {
  return {
    get peer() {
      return stream.peer;
    },
    get closed() {
      return stream.closed;
    },
    get queued() {
      return stream.queued;
    },
    metadata: (key) => stream.metadata?.(key),
    attach,
    send: (prefix, segments) => stream.send(prefix, segments),
    end: (status, message, hints) => stream.end(status, message, hints),
  };
}
