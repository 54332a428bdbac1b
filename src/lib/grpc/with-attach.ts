import type { GrpcStream } from "./grpc-stream.ts";

/** The same stream, attached to in another way. */
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
    attach,
    send: (prefix, segments) => stream.send(prefix, segments),
    end: (status, message, hints) => stream.end(status, message, hints),
  };
}
