import { fromBinary } from "@bufbuild/protobuf";
import { RequestResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { type Nack, nackIn } from "../nack.ts";

/** What a sink says. An empty nonce subscribes, whatever else is said; others answer a push. */
export interface SinkRequest {
  readonly nodeId: string;
  readonly collection: string;
  readonly nonce: string;
  readonly incremental: boolean;
  /** What the sink holds from an earlier stream: version by name. */
  readonly held: ReadonlyMap<string, string>;
  /** Also one with code 0. */
  readonly nack: Nack | undefined;
  readonly bytes: number;
}

/** Throws on bytes that are no request. */
export function readRequest(bytes: Uint8Array): SinkRequest {
  const message = fromBinary(RequestResourcesSchema, bytes);
  return {
    nodeId: message.sinkNode?.id ?? "",
    collection: message.collection,
    nonce: message.responseNonce,
    incremental: message.incremental,
    held: new Map(Object.entries(message.initialResourceVersions)),
    nack: message.errorDetail && nackIn(message.errorDetail),
    bytes: bytes.length,
  };
}
