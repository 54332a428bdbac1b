import type { Peer } from "../lib/grpc/grpc-stream.ts";
import { parseSpiffeId } from "../lib/spiffe-id.ts";
import type { Viewer } from "./viewer.ts";

/** Who looks on over gRPC: whoever runs the mesh, or a workload that has proved its namespace, or nobody we know. */
export function viewerAt(peer: Peer, isOperator: (peer: Peer) => boolean): Viewer | undefined {
  if (isOperator(peer)) return { type: "system" };
  const [namespace] = (peer.identities ?? []).flatMap((identity) => parseSpiffeId(identity)?.namespace ?? []);
  return namespace === undefined ? undefined : { type: "namespace", namespace };
}
