import type { Child } from "../child.ts";
import { type GrpcKind, type GrpcPeerOptions, grpcPeer } from "./grpc-peer.ts";

export interface GrpcPeerServerOptions extends GrpcPeerOptions {
  readonly port: number;
  /** The value of its response header `x-echo`. */
  readonly name: string;
}

/** Starts a real gRPC server in a separate process. It serves only while our server gives it a listener. */
export function startGrpcServer(
  kind: Exclude<GrpcKind, "js">,
  { port, name, ...peer }: GrpcPeerServerOptions,
): Promise<Child> {
  return grpcPeer(kind, ["server", String(port), name], peer);
}
