import type { CloseReason, GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { withAttach } from "../../lib/grpc/with-attach.ts";

export interface Tap {
  readonly onMessage?: () => void;
  /** Called after the handler of the stream. */
  readonly onClose: (reason: CloseReason) => void;
}

/** Wraps a stream with an observer. */
export function tapped(stream: GrpcStream, { onMessage = () => undefined, onClose }: Tap): GrpcStream {
  return withAttach(stream, (handler) =>
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
    }),
  );
}
