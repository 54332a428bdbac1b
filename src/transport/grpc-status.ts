import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import { cutText } from "../lib/cut-text.ts";
import type { MeshErrorCode } from "../lib/errors.ts";
import { type EndHints, GrpcStatus, type ReceivedStatus } from "../lib/grpc/grpc-stream.ts";

/** The gRPC status of each error code. */
export const statusOfError: Readonly<Record<MeshErrorCode, GrpcStatus>> = {
  "bad-config": GrpcStatus.INVALID_ARGUMENT,
  "bad-option": GrpcStatus.INVALID_ARGUMENT,
  cancelled: GrpcStatus.CANCELLED,
  internal: GrpcStatus.INTERNAL,
  "limit-exceeded": GrpcStatus.RESOURCE_EXHAUSTED,
  "listen-failed": GrpcStatus.INTERNAL,
  "not-found": GrpcStatus.NOT_FOUND,
  "peer-protocol": GrpcStatus.FAILED_PRECONDITION,
  "source-unavailable": GrpcStatus.UNAVAILABLE,
  timeout: GrpcStatus.UNAVAILABLE,
  unavailable: GrpcStatus.UNAVAILABLE,
};

/** The length limit of a `grpc-message`. It may repeat client input, and all headers of a response share 64 KiB. */
const messageLength = 1_024;

/** The headers that end a gRPC response, in trailers or in a headers-only response. */
export function statusHeaders(status: GrpcStatus, message?: string): OutgoingHttpHeaders {
  const code = { "grpc-status": String(status) };
  return message === undefined || message === ""
    ? code
    : { ...code, "grpc-message": percentEncode(cutText(message, messageLength)) };
}

/** gRPC's retry hint for clients. */
export function hintHeaders({ retryAfterMs }: EndHints = {}): OutgoingHttpHeaders {
  return retryAfterMs === undefined ? {} : { "grpc-retry-pushback-ms": String(Math.ceil(retryAfterMs)) };
}

/** gRPC's encoding of `grpc-message`: printable ASCII stays, all else (and `%`) becomes %XX of its UTF-8 bytes. */
function percentEncode(message: string): string {
  return message.toWellFormed().replaceAll(/[^ -$&-~]+/g, (rest) => encodeURIComponent(rest));
}

/** The kept length of a peer's text. A person reads no more. */
const maxText = 1_024;

/** The status in headers that end a response. Undefined when there is none. */
export function receivedStatus(headers: IncomingHttpHeaders): ReceivedStatus | undefined {
  const code = headers["grpc-status"];
  if (code === undefined) return undefined;
  return { code: Number(code), message: percentDecode(String(headers["grpc-message"] ?? "").slice(0, maxText)) };
}

/** Returns wrongly encoded text unchanged. */
function percentDecode(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
