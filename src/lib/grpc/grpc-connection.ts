import { MeshError } from "../errors.ts";
import type { GrpcStream, Metadata } from "./grpc-stream.ts";

/**
 * A call that the server certainly did not carry out: it refused the stream, or said goodbye before it saw the stream.
 * Such a call may be sent again, whatever it does.
 */
export class UnprocessedCall extends MeshError {
  constructor(reason: string, options?: { readonly cause?: unknown }) {
    super("unavailable", reason, options);
  }
}

/**
 * One connection to a gRPC server, shared by any number of calls and streams. It never reconnects and never repeats a
 * call. Implemented on bare `node:http2` (`transport/client/grpc-connection.ts`).
 */
export interface GrpcConnection extends Disposable {
  /** True when the connection has ended, or accepts no more calls. */
  readonly closed: boolean;
  /**
   * Sends one request and returns the bytes of the one response. Rejects with a `MeshError`: `timeout`,
   * `limit-exceeded`, `peer-protocol`, or `unavailable` with the server's reason or that of the network. An
   * {@link UnprocessedCall} may be repeated.
   */
  call(path: string, request: Uint8Array, metadata: Metadata): Promise<Uint8Array>;
  /** Opens a bidirectional stream. Failures of the connection reach the handler of the stream. */
  open(path: string, metadata: Metadata): GrpcStream;
}
