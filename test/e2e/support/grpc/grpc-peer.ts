import { fileURLToPath } from "node:url";
import { type PeerName, peerPath } from "../../../../scripts/peer.ts";
import { Child } from "../child.ts";
import type { EnvoyNode } from "../envoy/bootstrap.ts";
import { grpcBootstrapText, grpcNode } from "./grpc-bootstrap.ts";

/** The three implementations of xDS in gRPC: Python stands for the C core. The fourth is from the days of xDS v2. */
export type GrpcKind = "js" | "go" | "go-v2" | "python";

export interface GrpcPeerOptions {
  readonly xdsPort: number;
  /** An application of the namespace `default` unless told otherwise. */
  readonly node?: EnvoyNode;
}

const js = fileURLToPath(import.meta.resolve("../../../../scripts/peers/grpc-js/main.ts"));

/** What has to be fetched, for `describeWith`; the JavaScript one came with our own dependencies. */
export const grpcPeerNames: readonly PeerName[] = ["grpc-go", "grpc-python"];

/** A process of this kind of gRPC; `scripts/peers/protocol.ts` says what it takes and tells. */
export async function grpcPeer(
  kind: GrpcKind,
  args: readonly string[],
  { xdsPort, node = grpcNode }: GrpcPeerOptions,
): Promise<Child> {
  const bootstrap = grpcBootstrapText(xdsPort, node);
  // Loopback is never reached through a proxy, whatever the machine is set up for.
  const env = {
    ...process.env,
    GRPC_XDS_BOOTSTRAP_CONFIG: kind === "go-v2" ? withoutV3(bootstrap) : bootstrap,
    no_grpc_proxy: "127.0.0.1",
  };
  if (kind === "js") return new Child(process.execPath, [js, ...args], { env, listens: true });
  return new Child(await peerPath(`grpc-${kind}`), args, { env, listens: true });
}

/** A server that does not say that it speaks v3 is spoken to in v2, by those who still can. */
function withoutV3(bootstrap: string): string {
  return JSON.stringify(JSON.parse(bootstrap, (key, value: unknown) => (key === "server_features" ? [] : value)));
}
