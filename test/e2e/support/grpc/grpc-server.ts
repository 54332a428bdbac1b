import type { Child } from "../child.ts";
import { type GrpcKind, type GrpcPeerOptions, grpcPeer } from "./grpc-peer.ts";

export interface GrpcServerOptions extends GrpcPeerOptions {
  readonly port: number;
  /** What it answers in the header `x-echo`. */
  readonly name: string;
}

/** A real gRPC server in a process of its own, which serves only while our server gives it a listener. */
export function startGrpcServer(
  kind: Exclude<GrpcKind, "js">,
  { port, name, ...peer }: GrpcServerOptions,
): Promise<Child> {
  return grpcPeer(kind, ["server", String(port), name], peer);
}
