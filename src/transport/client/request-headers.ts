import type { OutgoingHttpHeaders } from "node:http2";
import type { Metadata } from "../../lib/grpc/grpc-stream.ts";
import { metadataHeaders } from "../metadata-headers.ts";

/** The headers of a gRPC call. They offer no compression. */
export function requestHeaders(path: string, metadata: Metadata = {}): OutgoingHttpHeaders {
  return {
    ...metadataHeaders(metadata),
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
  };
}
