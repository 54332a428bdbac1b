/**
 * The protocol of the gRPC peers of the end-to-end tests, in every language. All get xDS from the bootstrap in
 * `GRPC_XDS_BOOTSTRAP_CONFIG`. There is one bootstrap per process, hence one process per peer.
 *
 * - `client TARGET` reads one {@link GrpcCommand} per line and prints one {@link GrpcReport} per line, in order,
 *   until its input ends. It calls `grpc.health.v1.Health/Check` over one channel, one call after the other.
 * - `server PORT NAME` answers those calls on 127.0.0.1:PORT once the control plane gives it a listener.
 *   The project grpc-js has no server here, because its xDS server listens on every address of the machine.
 *
 * A server puts its name into the response header `x-echo`.
 */
export interface GrpcCommand {
  readonly id: number;
  readonly calls: number;
  /** Headers of each call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
}

/** How one call ended. */
export interface GrpcAnswer {
  /** The status as a number: 0 is OK. */
  readonly code: number;
  /** The name of the server that answered. Empty when none did. */
  readonly echo: string;
  readonly message: string;
}

export interface GrpcReport {
  readonly id: number;
  readonly answers: readonly GrpcAnswer[];
}
