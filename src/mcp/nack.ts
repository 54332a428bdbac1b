import { create } from "@bufbuild/protobuf";
import { anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import { RejectionSchema } from "#gen/binnacle/mcp/v1/rejection_pb.js";
import { type Status, StatusSchema } from "#gen/google/rpc/status_pb.js";
import type { Refusal, Rejection } from "./observer.ts";

/** What a sink says that does not take a message as it is, in either dialect. */
export interface Nack extends Refusal {
  /** A sink of ours took all but these; empty when nothing was taken. */
  readonly rejected: readonly Rejection[];
}

/** As both protocols carry it. The details are ours: others pass over them. */
export function statusOf({ code, message, rejected }: Nack): Status {
  const details = rejected.map((each) => anyPack(RejectionSchema, create(RejectionSchema, { ...each })));
  return create(StatusSchema, { code, message, details });
}

export function nackIn({ code, message, details }: Status): Nack {
  const rejected = details.flatMap((detail) => anyUnpack(detail, RejectionSchema) ?? []);
  return { code, message, rejected: rejected.map(({ name, reason }) => ({ name, reason })) };
}
