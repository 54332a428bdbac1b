import type { Protocol } from "./service.ts";

const http: ReadonlySet<Protocol> = new Set(["HTTP", "HTTP2", "HTTP_PROXY", "GRPC", "GRPC-Web"]);
const http2: ReadonlySet<Protocol> = new Set(["HTTP2", "GRPC", "GRPC-Web"]);

/** Plain HTTP of any version, which Envoy can route by request. */
export function isHttp(protocol: Protocol): boolean {
  return http.has(protocol);
}

/** Spoken over HTTP/2 without negotiation. */
export function isHttp2(protocol: Protocol): boolean {
  return http2.has(protocol);
}
