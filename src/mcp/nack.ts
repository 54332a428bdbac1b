import { create } from "@bufbuild/protobuf";
import { anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import { RejectionSchema } from "#gen/binnacle/mcp/v1/rejection_pb.js";
import { type Status, StatusSchema } from "#gen/google/rpc/status_pb.js";
import { cutText } from "../lib/cut-text.ts";
import { xdsLimits } from "../xds/xds-limits.ts";
import type { NackStatus, RejectedResource } from "./mcp-observer.ts";

/** The answer of a sink that rejects a message, in either dialect. */
export interface Nack extends NackStatus {
  /** The resources that a Binnacle sink rejected while it accepted the others. Empty if it accepted nothing. */
  readonly rejected: readonly RejectedResource[];
}

/** The NACK as both protocols carry it. The details are our own; other implementations ignore them. */
export function statusOfNack({ code, message, rejected }: Nack): Status {
  const details = rejected.map((each) => anyPack(RejectionSchema, create(RejectionSchema, { ...each })));
  return create(StatusSchema, { code, message, details });
}

/** Truncated to the stored size. The message says so. */
export function nackIn({ code, message, details }: Status): Nack {
  const { errorText, rejections } = xdsLimits;
  const kept = details.slice(0, rejections.most);
  const rejected = kept.flatMap((detail) => anyUnpack(detail, RejectionSchema) ?? []);
  const more = details.length > kept.length ? ` (the first ${kept.length} of ${details.length} rejected objects)` : "";
  return {
    code,
    message: cutText(message, errorText.most) + more,
    rejected: rejected.map(({ name, reason }) => ({
      name: cutText(name, errorText.most),
      reason: cutText(reason, errorText.most),
    })),
  };
}
