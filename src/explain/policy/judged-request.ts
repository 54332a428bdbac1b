import type { JsonObject } from "@bufbuild/protobuf";
import { type SimulatedRequest, showsCertificate } from "../simulated-request.ts";

/** A request, or a connection, as the filters of a proxy see it. */
export interface JudgedRequest {
  /** With its path and its headers as the connection manager leaves them. */
  readonly request: SimulatedRequest;
  /** Filters of connections see no headers and no path. */
  readonly layer: "connection" | "request";
  /** The client's end of the connection. Undefined if unknown. */
  readonly directAddress: string | undefined;
  /** The address of the first client, by `x-forwarded-for` where that is trusted. Undefined if unknown. */
  readonly remoteAddress: string | undefined;
  /** The dialled address. Undefined if unknown. */
  readonly localAddress: string | undefined;
  /** Dynamic metadata by the name of the filter that wrote it. */
  readonly metadata: Readonly<Record<string, JsonObject>>;
}

/** The identity of the caller. */
export type Caller =
  | { readonly type: "anonymous"; readonly because: string }
  | { readonly type: "named"; readonly principal: string }
  | { readonly type: "unknown" };

/** Only a client certificate names a caller. */
export function callerOf(request: SimulatedRequest): Caller {
  if (request.protocol !== "tls") return { type: "anonymous", because: "the connection is plaintext" };
  if (request.principal !== undefined) return { type: "named", principal: request.principal };
  if (showsCertificate(request)) return { type: "unknown" };
  return { type: "anonymous", because: "the client presents no certificate" };
}
