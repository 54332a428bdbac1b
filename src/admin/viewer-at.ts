import type { Peer } from "../lib/grpc/grpc-stream.ts";
import { parseSpiffeId } from "../lib/spiffe-id.ts";
import type { Viewer } from "./viewer.ts";

/** The viewer over gRPC: an operator of the mesh, or a workload with a proven namespace, or undefined. */
export function viewerAt(peer: Peer, isOperator: (peer: Peer) => boolean): Viewer | undefined {
  if (isOperator(peer)) return { type: "system" };
  const [namespace] = (peer.identities ?? []).flatMap((identity) => parseSpiffeId(identity)?.namespace ?? []);
  return namespace === undefined ? undefined : { type: "namespace", namespace };
}
