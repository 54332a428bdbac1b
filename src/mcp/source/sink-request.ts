import { fromBinary } from "@bufbuild/protobuf";
import { RequestResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { type Nack, nackIn } from "../nack.ts";

/** A request of a sink. An empty nonce subscribes, whatever the other fields. Other nonces answer a push. */
export interface SinkRequest {
  readonly nodeId: string;
  readonly collection: string;
  readonly nonce: string;
  readonly incremental: boolean;
  /** The versions that the sink holds from an earlier stream, by name. */
  readonly held: ReadonlyMap<string, string>;
  /** Includes an error with code 0. */
  readonly nack: Nack | undefined;
  readonly bytes: number;
}

/** Throws on bytes that are no request. */
export function readSinkRequest(bytes: Uint8Array): SinkRequest {
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
