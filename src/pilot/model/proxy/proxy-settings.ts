import { oncePer } from "../../../lib/memo.ts";
import type { ConnectionLimits } from "./connection-limits.ts";

/** What the owners of proxies decide about them: for the mesh, or a proxy for itself. */
export interface ProxySettings {
  readonly headers: HeaderSettings;
  readonly topology: GatewayTopology;
  readonly tracing: TracingSettings;
  /** With `edge`, routers are strict also where nothing is said. */
  readonly limits: ConnectionLimits & { readonly edge: boolean };
}

/** What proxies tell in headers, and what they pass on. */
export interface HeaderSettings {
  /** The value of `server`; "" for the usual one. */
  readonly serverName: string;
  /** Leaves `server` as the workload wrote it. */
  readonly passesServer: boolean;
  readonly generatesRequestId: boolean;
  /** Leaves out what begins with `x-envoy-`. */
  readonly hidesDebug: boolean;
  /** Does not introduce itself to servers outside the mesh. */
  readonly hidesIdentityOutside: boolean;
  /** Undefined for what is usual where it stands. */
  readonly forwardedClientCert: ForwardedClientCert | undefined;
  /** What of a client's certificate is told; what is not there is as usual. */
  readonly clientCertDetails: Readonly<Partial<Record<"subject" | "cert" | "chain" | "dns" | "uri", boolean>>>;
  /** Keeps upper and lower case of HTTP/1 headers. */
  readonly preservesCase: boolean;
  readonly appendsForwardedPort: boolean;
  /** Tells servers how often a request was tried. */
  readonly countsAttempts: boolean;
  /** Tells servers which host the client asked for, where a route rewrites it. */
  readonly appendsForwardedHost: boolean;
}

/** What becomes of `x-forwarded-client-cert`. */
export type ForwardedClientCert =
  | "sanitize"
  | "forward-only"
  | "append-forward"
  | "sanitize-set"
  | "always-forward-only";

/** What stands in front of a gateway. */
export interface GatewayTopology {
  /** How many proxies' entries in `x-forwarded-for` are believed. */
  readonly trustedProxies: number;
  readonly forwardedClientCert: ForwardedClientCert | undefined;
  /** Connections begin with who is calling, in the PROXY protocol. */
  readonly proxyProtocol: boolean;
}

/** Which requests are traced, and what their spans say. */
export interface TracingSettings {
  /** In per cent of all requests. */
  readonly sampling: number;
  /** 0 for as long as Envoy likes. */
  readonly maxPathTagLength: number;
  /** By name. */
  readonly tags: readonly TraceTag[];
}

/** A fact that spans are given. */
export type TraceTag = { readonly name: string } & (
  | { readonly type: "literal"; readonly value: string }
  | { readonly type: "environment"; readonly variable: string; readonly otherwise: string }
  | { readonly type: "header"; readonly header: string; readonly otherwise: string }
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
  tracing: { sampling: 1, maxPathTagLength: 0, tags: [] },
  limits: { edge: false },
};

/** What of them routes depend on. */
export type RouteSettings = Pick<HeaderSettings, "countsAttempts" | "appendsForwardedHost">;

export const defaultRouteSettings: RouteSettings = defaultProxySettings.headers;

export function routeSettingsOf(settings: ProxySettings): RouteSettings {
  const { countsAttempts, appendsForwardedHost } = settings.headers;
  return { countsAttempts, appendsForwardedHost };
}

/** Equal ids mean equal settings: part of the id of every part that depends on them. */
export const proxySettingsId = oncePer((settings: ProxySettings): string =>
  settings === defaultProxySettings ? "" : JSON.stringify(settings),
);
