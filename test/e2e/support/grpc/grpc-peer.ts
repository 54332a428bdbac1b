import { fileURLToPath } from "node:url";
import { type PeerName, peerPath } from "../../../../scripts/peer.ts";
import { Child } from "../child.ts";
import type { EnvoyNode } from "../envoy/bootstrap.ts";
import { grpcBootstrapText, grpcNode } from "./grpc-bootstrap.ts";

/** The three xDS implementations of gRPC: Python represents the C core. The fourth is from the time of xDS v2. */
export type GrpcKind = "js" | "go" | "go-v2" | "python";

export interface GrpcPeerOptions {
  readonly xdsPort: number;
  /** Default: an application in the namespace `default`. */
  readonly node?: EnvoyNode;
}

const js = fileURLToPath(import.meta.resolve("../../../../scripts/peers/grpc-js/main.ts"));

/** The peers to fetch, for `describeWith`. The JavaScript one is among our own dependencies. */
export const grpcPeerNames: readonly PeerName[] = ["grpc-go", "grpc-python"];

/** A process of this gRPC implementation. `scripts/peers/protocol.ts` defines its input and output. */
export async function grpcPeer(
  kind: GrpcKind,
  args: readonly string[],
  { xdsPort, node = grpcNode }: GrpcPeerOptions,
): Promise<Child> {
  const bootstrap = grpcBootstrapText(xdsPort, node);
  // Loopback is never reached through an HTTP proxy, whatever the settings of the machine.
  const env = {
    ...process.env,
    GRPC_XDS_BOOTSTRAP_CONFIG: kind === "go-v2" ? withoutV3(bootstrap) : bootstrap,
    no_grpc_proxy: "127.0.0.1",
  };
  if (kind === "js") return new Child(process.execPath, [js, ...args], { env, listens: true });
  return new Child(await peerPath(`grpc-${kind}`), args, { env, listens: true });
}

/** Removes the v3 feature of the server, so that clients with v2 support use v2. */
function withoutV3(bootstrap: string): string {
  return JSON.stringify(JSON.parse(bootstrap, (key, value: unknown) => (key === "server_features" ? [] : value)));
}
