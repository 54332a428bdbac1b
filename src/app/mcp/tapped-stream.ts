import type { CloseReason, GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { withAttach } from "../../lib/grpc/with-attach.ts";

export interface Tap {
  readonly onMessage?: () => void;
  /** After its handler has heard of it. */
  readonly onClose: (reason: CloseReason) => void;
}

/** The same stream, and somebody who listens in. */
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
