import { MeshError } from "../../lib/errors.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import { statusOfError } from "../grpc-status.ts";

/**
 * One request message in, one response message out. A thrown `MeshError` reaches the client with its message and its
 * status. Any other error becomes INTERNAL without details.
 */
export type UnaryMethod = (request: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Serves one call of a unary method on a stream that takes one request. */
export function serveUnary(stream: GrpcStream, method: UnaryMethod, logger: Logger): void {
  const answer = async (request: Uint8Array) => {
    try {
      stream.send(await method(request), []);
      stream.end(GrpcStatus.OK);
    } catch (thrown) {
      const error = MeshError.from(thrown);
      if (error.code !== "internal") return stream.end(statusOfError[error.code], error.message);
      logger.error({ peer: stream.peer.address, err: thrown }, "grpc unary method failed");
      stream.end(GrpcStatus.INTERNAL, "internal error");
    }
  };
  stream.attach({
    onMessage: (bytes) => void answer(new Uint8Array(bytes)),
    onFlushed: () => undefined,
    onClose: () => undefined,
  });
}
