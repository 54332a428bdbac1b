import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { RejectionSchema } from "#gen/binnacle/mcp/v1/rejection_pb.js";
import { StatusSchema } from "#gen/google/rpc/status_pb.js";
import { RequestResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import type { Refusal, Rejection } from "../observer.ts";

/** Who asks. Not authoritative: identity comes from TLS. */
export interface SinkNode {
  readonly id: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What a sink says: it subscribes with an empty nonce, and answers a push with the push's. */
export interface SinkSays {
  readonly collection: string;
  readonly nonce: string;
  readonly incremental: boolean;
  /** Only in a first subscription. */
  readonly held?: ReadonlyMap<string, string>;
  /** What makes it a NACK. */
  readonly refusal?: Refusal & { readonly rejected: readonly Rejection[] };
}

export function encodeRequest({ id, annotations }: SinkNode, says: SinkSays): Uint8Array {
  const { collection, nonce, incremental, held, refusal } = says;
  const message = create(RequestResourcesSchema, {
    sinkNode: { id, annotations: { ...annotations } },
    collection,
    responseNonce: nonce,
    incremental,
    ...(held && { initialResourceVersions: Object.fromEntries(held) }),
    ...(refusal && { errorDetail: statusOf(refusal) }),
  });
  return toBinary(RequestResourcesSchema, message);
}

function statusOf({ code, message, rejected }: NonNullable<SinkSays["refusal"]>) {
  const details = rejected.map((each) => anyPack(RejectionSchema, create(RejectionSchema, { ...each })));
  return create(StatusSchema, { code, message, details });
}
