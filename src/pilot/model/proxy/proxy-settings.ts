import type { ConnectionLimits } from "./connection-limits.ts";

/** Settings of proxies: for the whole mesh, or for a single proxy. */
export interface ProxySettings {
  readonly headers: HeaderSettings;
  readonly topology: GatewayTopology;
  readonly tracing: TracingSettings;
  /** With `edge`, routers use strict limits by default. */
  readonly limits: ConnectionLimits & { readonly edge: boolean };
}

/** Headers that proxies add, and headers that they forward. */
export interface HeaderSettings {
  /** The value of `server`; "" for the default. */
  readonly serverName: string;
  /** Leaves the `server` header of the workload unchanged. */
  readonly passesServer: boolean;
  readonly generatesRequestId: boolean;
  /** Removes headers that begin with `x-envoy-`. */
  readonly hidesDebug: boolean;
  /** Sends no peer metadata to servers outside the mesh. */
  readonly hidesIdentityOutside: boolean;
  /** Undefined for the default of the listener. */
  readonly forwardedClientCert: ForwardedClientCert | undefined;
  /** Parts of the client certificate that are forwarded; an absent part uses the default. */
  readonly clientCertDetails: Readonly<Partial<Record<"subject" | "cert" | "chain" | "dns" | "uri", boolean>>>;
  /** Preserves the case of HTTP/1 header names. */
  readonly preservesCase: boolean;
  readonly appendsForwardedPort: boolean;
  /** Sends the attempt count of a request to servers. */
  readonly countsAttempts: boolean;
  /** Sends the original host to servers where a route rewrites it. */
  readonly appendsForwardedHost: boolean;
}

/** How the proxy handles `x-forwarded-client-cert`. */
export type ForwardedClientCert =
  | "sanitize"
  | "forward-only"
  | "append-forward"
  | "sanitize-set"
  | "always-forward-only";

/** The proxies in front of a gateway. */
export interface GatewayTopology {
  /** How many proxies' entries in `x-forwarded-for` are trusted. */
  readonly trustedProxies: number;
  readonly forwardedClientCert: ForwardedClientCert | undefined;
  /** Connections begin with a PROXY protocol header. */
  readonly proxyProtocol: boolean;
}

/** Which requests are traced, and which tags their spans have. */
export interface TracingSettings {
  /** In per cent of all requests. */
  readonly sampling: number;
  /** 0 for Envoy's default. */
  readonly maxPathTagLength: number;
  /** By name. */
  readonly tags: readonly TraceTag[];
  /** Adds tags about the workload and about policies in dry-run mode. */
  readonly istioTags: boolean;
}

/** A tag of a span. */
export type TraceTag = { readonly name: string } & (
  | { readonly type: "literal"; readonly value: string }
  | { readonly type: "environment"; readonly variable: string; readonly otherwise: string }
  | { readonly type: "header"; readonly header: string; readonly otherwise: string }
  /** A text with the operators of access logs. */
  | { readonly type: "format"; readonly format: string }
);

export const defaultProxySettings: ProxySettings = {
  headers: {
    serverName: "",
    passesServer: false,
    generatesRequestId: true,
    hidesDebug: false,
    hidesIdentityOutside: false,
    forwardedClientCert: undefined,
    clientCertDetails: {},
    preservesCase: false,
    appendsForwardedPort: false,
    countsAttempts: true,
    appendsForwardedHost: false,
  },
  topology: { trustedProxies: 0, forwardedClientCert: undefined, proxyProtocol: false },
  tracing: { sampling: 1, maxPathTagLength: 0, tags: [], istioTags: true },
  limits: { edge: false },
};

/** Header settings that affect routes. */
export type RouteSettings = Pick<HeaderSettings, "countsAttempts" | "appendsForwardedHost">;

export const defaultRouteSettings: RouteSettings = defaultProxySettings.headers;

export function routeSettingsOf(settings: ProxySettings): RouteSettings {
  const { countsAttempts, appendsForwardedHost } = settings.headers;
  return { countsAttempts, appendsForwardedHost };
}
