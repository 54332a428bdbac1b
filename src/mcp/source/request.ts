import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { RejectionSchema } from "#gen/binnacle/mcp/v1/rejection_pb.js";
import { type RequestResources, RequestResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import type { Rejection } from "../observer.ts";

/** What a sink says. An empty nonce subscribes, whatever else is said; others answer a push. */
export interface SinkRequest {
  readonly nodeId: string;
  readonly collection: string;
  readonly nonce: string;
  readonly incremental: boolean;
  /** What the sink holds from an earlier stream: version by name. */
  readonly held: ReadonlyMap<string, string>;
  /** Present in a NACK, also with code 0. */
  readonly error: RequestError | undefined;
  readonly bytes: number;
}

export interface RequestError {
  readonly code: number;
  readonly message: string;
  /** From a sink of ours that took all but these; empty when nothing was taken. */
  readonly rejected: readonly Rejection[];
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
    error: errorOf(message.errorDetail),
    bytes: bytes.length,
  };
}

function errorOf(status: RequestResources["errorDetail"]): RequestError | undefined {
  if (status === undefined) return undefined;
  const rejected = status.details.flatMap((detail) => anyUnpack(detail, RejectionSchema) ?? []);
  return {
    code: status.code,
    message: status.message,
    rejected: rejected.map(({ name, reason }) => ({ name, reason })),
  };
}
