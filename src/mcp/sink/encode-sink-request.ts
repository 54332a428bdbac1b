import { create, toBinary } from "@bufbuild/protobuf";
import { RequestResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { type Nack, statusOfNack } from "../nack.ts";

/** The node of a sink. Not authoritative: the identity comes from TLS. */
export interface SinkNode {
  readonly id: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A request of a sink. An empty nonce subscribes. The nonce of a push answers that push. */
export interface SinkRequestFields {
  readonly collection: string;
  readonly nonce: string;
  readonly incremental: boolean;
  /** Only in a first subscription. */
  readonly held?: ReadonlyMap<string, string>;
  readonly nack?: Nack;
}

export function encodeSinkRequest({ id, annotations }: SinkNode, fields: SinkRequestFields): Uint8Array {
  const { collection, nonce, incremental, held, nack } = fields;
  const message = create(RequestResourcesSchema, {
    sinkNode: { id, annotations: { ...annotations } },
    collection,
    responseNonce: nonce,
    incremental,
    ...(held && { initialResourceVersions: Object.fromEntries(held) }),
    ...(nack && { errorDetail: statusOfNack(nack) }),
  });
  return toBinary(RequestResourcesSchema, message);
}
