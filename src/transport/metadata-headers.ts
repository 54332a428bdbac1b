import type { OutgoingHttpHeaders } from "node:http2";
import type { Metadata } from "../lib/grpc/grpc-stream.ts";

/** Metadata as HTTP/2 takes it. */
export function metadataHeaders(metadata: Metadata): OutgoingHttpHeaders {
  const pairs = Object.entries(metadata).map(([key, value]) => [key, typeof value === "string" ? value : [...value]]);
  return Object.fromEntries(pairs);
}
