import type { JsonObject } from "@bufbuild/protobuf";
import type { TlsFiles } from "./trust.ts";

/** A request, or a bare connection, as it reaches a proxy. */
export interface SimulatedRequest {
  /** The port the client dialled. */
  readonly port: number;
  /** The `Host` header; for other protocols than HTTP, the name the client looked up. */
  readonly host: string;
  /** With the query, if there is one. */
  readonly path: string;
  readonly method: string;
  /** By lower-case name. Values of repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The single values of headers that were sent more than once. */
  readonly repeated?: Readonly<Record<string, readonly string[]>>;
  /** The IP address that the client dialled. Without it, the address is derived from the host and the configuration. */
  readonly address?: string;
  /** As seen by the proxy: from its own workload (the default), to its own workload, or from outside to a router. */
  readonly direction?: "outbound" | "inbound" | "gateway";
  /**
   * The protocol of the connection. Default: `http`. Inside `tls`, the protocol that the TLS terminator expects is
   * assumed.
   */
  readonly protocol?: "http" | "http2" | "tcp" | "tls";
  /** The SNI of a TLS client. Default: the host. */
  readonly sni?: string;
  /** The ALPN protocols of a TLS client, its preferred one first. */
  readonly alpn?: readonly string[];
  /** Whether a TLS client presents a certificate. Default: clients that offer one of Istio's ALPN protocols do. */
  readonly clientCertificate?: boolean;
  /** The URI in the certificate of a TLS client: `spiffe://cluster.local/ns/shop/sa/web`. */
  readonly principal?: string;
  /** The IP address of the client's end of the connection. */
  readonly sourceAddress?: string;
  /** The certificate and authority files of a TLS client, if known. */
  readonly tlsFiles?: TlsFiles;
  /** Metadata that filters wrote, by filter. Absent before the filters of the proxy have seen the request. */
  readonly metadata?: Readonly<Record<string, JsonObject>>;
}

/** The host without a port. */
export function requestHostname({ host }: SimulatedRequest): string {
  return withoutPort(host).toLowerCase();
}

export function withoutPort(host: string): string {
  return host.replace(/:\d+$/u, "");
}

/** The HTTP scheme: whether the request reached this proxy over TLS. */
export function schemeOf({ protocol }: SimulatedRequest): "http" | "https" {
  return protocol === "tls" ? "https" : "http";
}

export function showsCertificate({ protocol, alpn = [], clientCertificate }: SimulatedRequest): boolean {
  return protocol === "tls" && (clientCertificate ?? alpn.some((name) => name.startsWith("istio")));
}

/** The value of a header as Envoy's matchers see it, pseudo-headers included. */
export function headerOf(request: SimulatedRequest, name: string): string | undefined {
  switch (name) {
    case ":method":
      return request.method;
    case ":authority":
      return request.host;
    case ":path":
      return request.path;
    case ":scheme":
      return schemeOf(request);
    default:
      return Object.entries(request.headers).find(([key]) => key === name.toLowerCase())?.[1];
  }
}

/** All values of a header. Envoy compares each of them: in RBAC since 1.37.1, everywhere since 1.39. */
export function headerValues(request: SimulatedRequest, name: string): readonly string[] {
  const repeated = request.repeated?.[name.toLowerCase()];
  const value = headerOf(request, name);
  return value === undefined ? [] : (repeated ?? [value]);
}

export function isGrpc(request: SimulatedRequest): boolean {
  const type = headerOf(request, "content-type") ?? "";
  return type === "application/grpc" || type.startsWith("application/grpc+");
}

/** The path without its query, which path matchers use. */
export function pathOf({ path }: SimulatedRequest): string {
  return path.split("?", 1)[0] ?? "";
}

/** The query with its question mark; empty when there is none. */
export function queryTextOf(request: SimulatedRequest): string {
  return request.path.slice(pathOf(request).length);
}

export function queryOf(request: SimulatedRequest): URLSearchParams {
  return new URLSearchParams(queryTextOf(request));
}
