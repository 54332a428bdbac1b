/** A request, or a bare connection, as it reaches a proxy. */
export interface Request {
  /** The port the client dialled. */
  readonly port: number;
  /** The `Host` header; for other protocols than HTTP, the name the client looked up. */
  readonly host: string;
  /** With the query, if there is one. */
  readonly path: string;
  readonly method: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The IP address the client dialled. Without it, what the configuration shows about the host has to do. */
  readonly address?: string;
  /** Seen from the proxy: from its own workload (the default), to its own workload, or from outside to a router. */
  readonly direction?: "outbound" | "inbound" | "gateway";
  /** What is spoken on the connection; `http` unless said. Inside `tls` is whatever the end of the TLS expects. */
  readonly protocol?: "http" | "http2" | "tcp" | "tls";
  /** The server name of a TLS client; the host unless said. */
  readonly sni?: string;
  /** The protocols a TLS client offers, its favourite first. */
  readonly alpn?: readonly string[];
  /** Whether a TLS client shows a certificate; unless said, clients that offer one of Istio's own protocols do. */
  readonly clientCertificate?: boolean;
}

/** The host without a port. */
export function hostnameOf({ host }: Request): string {
  return withoutPort(host).toLowerCase();
}

export function withoutPort(host: string): string {
  return host.replace(/:\d+$/u, "");
}

/** What HTTP calls the scheme: TLS or not, as it was on the way to this proxy. */
export function schemeOf({ protocol }: Request): "http" | "https" {
  return protocol === "tls" ? "https" : "http";
}

export function showsCertificate({ protocol, alpn = [], clientCertificate }: Request): boolean {
  return protocol === "tls" && (clientCertificate ?? alpn.some((name) => name.startsWith("istio")));
}

/** The value of a header as Envoy's matchers see it, pseudo-headers included. */
export function headerOf(request: Request, name: string): string | undefined {
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

export function isGrpc(request: Request): boolean {
  const type = headerOf(request, "content-type") ?? "";
  return type === "application/grpc" || type.startsWith("application/grpc+");
}

/** The path without its query: what path matchers look at. */
export function pathOf({ path }: Request): string {
  return path.split("?", 1)[0] ?? "";
}

/** The query with its question mark; empty when there is none. */
export function queryTextOf(request: Request): string {
  return request.path.slice(pathOf(request).length);
}

export function queryOf(request: Request): URLSearchParams {
  return new URLSearchParams(queryTextOf(request));
}
