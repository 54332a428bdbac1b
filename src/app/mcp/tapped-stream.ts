import type { CloseReason, GrpcStream } from "../../lib/grpc-stream.ts";

export interface Tap {
  readonly onMessage?: () => void;
  /** After its handler has heard of it. */
  readonly onClose: (reason: CloseReason) => void;
}

/** The same stream, and somebody who listens in. */
export function tapped(stream: GrpcStream, { onMessage = () => undefined, onClose }: Tap): GrpcStream {
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
    attach(handler) {
      stream.attach({
        onMessage(bytes) {
          onMessage();
          handler.onMessage(bytes);
        },
        onFlushed: () => handler.onFlushed(),
        onClose(reason) {
          handler.onClose(reason);
          onClose(reason);
        },
      });
    },
    send: (prefix, segments) => stream.send(prefix, segments),
    end: (status, message, hints) => stream.end(status, message, hints),
  };
}
