import { assert } from "../../lib/assert.ts";
import type { GrpcStream, GrpcStreamHandler } from "../../lib/grpc/grpc-stream.ts";
import { withAttach } from "../../lib/grpc/with-attach.ts";

/** Asks with the first message of a stream who is to hear it, and all that follows. */
export function decidedByFirst(choose: (bytes: Uint8Array) => GrpcStreamHandler): GrpcStreamHandler {
  let chosen: GrpcStreamHandler | undefined;
  return {
    onMessage: (bytes) => {
      chosen ??= choose(bytes);
      chosen.onMessage(bytes);
    },
    onFlushed: () => chosen?.onFlushed(),
    onClose: (reason) => chosen?.onClose(reason),
  };
}

/** Has a stream that was attached to already served by somebody else; the result is who has to be told of everything. */
export function handOver(stream: GrpcStream, serve: (stream: GrpcStream) => void): GrpcStreamHandler {
  let handler: GrpcStreamHandler | undefined;
  serve(
    withAttach(stream, (attached) => {
      handler = attached;
    }),
  );
  assert(handler !== undefined || stream.closed, "a stream that is handed over is served or ended at once");
  return handler ?? gone;
}

const gone: GrpcStreamHandler = { onMessage: () => {}, onFlushed: () => {}, onClose: () => {} };
