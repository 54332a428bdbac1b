import { assert } from "../../lib/assert.ts";
import type { GrpcStream, GrpcStreamHandler } from "../../lib/grpc/grpc-stream.ts";
import { withAttach } from "../../lib/grpc/with-attach.ts";

/** Selects the handler of a stream by its first message. That handler gets the first and all later messages. */
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

/**
 * Lets another server serve a stream that already has a handler. Returns the new handler, which must get every event.
 */
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
