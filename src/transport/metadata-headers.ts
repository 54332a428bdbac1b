import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import type { Metadata } from "../lib/grpc/grpc-stream.ts";

/** Converts metadata to HTTP/2 headers. */
export function metadataHeaders(metadata: Metadata): OutgoingHttpHeaders {
  const pairs = Object.entries(metadata).map(([key, value]) => [key, typeof value === "string" ? value : [...value]]);
  return Object.fromEntries(pairs);
}

/** One value of received metadata. Values of a repeated key are joined by commas. */
export function metadataValue(headers: IncomingHttpHeaders, key: string): string | undefined {
  const value = headers[key];
  return typeof value === "string" ? value : value?.join(", ");
}
