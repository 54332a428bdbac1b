import type { ConfigId, Labels } from "../../../config/config.ts";
import type { Duration } from "../duration.ts";

/** Routing rules for some hosts. All names are resolved: hosts are full, gateways are `mesh` or `namespace/name`. */
export interface VirtualService {
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: number;
  readonly owner: ConfigId;
  /** Delegates whose routes are merged into the virtual service. It consists of these objects, too. */
  readonly delegates: readonly ConfigId[];
  /**
   * Delegates that cannot be merged, as `namespace/name`: they do not exist, are no delegates, or are not exported to
   * it.
   */
  readonly missingDelegates: readonly string[];
  readonly hosts: readonly string[];
  readonly gateways: readonly string[];
  readonly exportTo: readonly string[];
  readonly http: readonly HttpRoute[];
  /** Routes for TLS passthrough. */
  readonly tls: readonly TlsRoute[];
  readonly tcp: readonly TcpRoute[];
}

/** Every source object of the routes of a virtual service. */
export function ownersOf({ owner, delegates }: VirtualService): readonly ConfigId[] {
  return [owner, ...delegates];
}

/** Whether it has TCP or TLS routes. */
export function routesConnections({ tcp, tls }: VirtualService): boolean {
  return tcp.length + tls.length > 0;
}

/** Whether some route matches on labels of clients. */
export function matchesClientLabels({ http, tcp, tls }: VirtualService): boolean {
  const matches = [...http, ...tcp, ...tls].flatMap(
    (route): readonly Pick<TcpMatch, "sourceLabels">[] => route.matches,
  );
  return matches.some(({ sourceLabels }) => Object.keys(sourceLabels).length > 0);
}

/** Whether its TCP or TLS routes use one of these hosts. */
export function sendsConnectionsTo(hostnames: ReadonlySet<string>, { tcp, tls }: VirtualService): boolean {
  return [...tcp, ...tls].some(({ destinations }) => destinations.some(({ hostname }) => hostnames.has(hostname)));
}

/** Whether its HTTP routes send or mirror requests to one of these hosts. */
export function sendsRequestsTo(hostnames: ReadonlySet<string>, { http }: VirtualService): boolean {
  return http.some((route) => backendsOf(route).some(({ hostname }) => hostnames.has(hostname)));
}

/** Destinations and mirrors of a route. */
export function backendsOf({ action }: HttpRoute): readonly Backend[] {
  return action.type === "forward" ? [...action.destinations, ...action.mirrors] : [];
}

/**
 * Applies to a request that any of `matches` accepts; without matches, to all requests. The first route that applies
 * wins.
 */
export interface HttpRoute {
  readonly name: string;
  readonly matches: readonly HttpMatch[];
  readonly headers: HeaderOperations;
  readonly fault: Fault | undefined;
  readonly cors: CorsPolicy | undefined;
  readonly action: HttpAction;
}

/** All conditions must hold. Route generation evaluates the first four, Envoy evaluates the others per request. */
export interface HttpMatch {
  /** The listener's port; 0 for any. */
  readonly port: number;
  readonly gateways: readonly string[];
  readonly sourceLabels: Labels;
  readonly sourceNamespace: string;
  readonly name: string;
  readonly statPrefix: string;
  readonly uri: PathMatch;
  readonly ignoreUriCase: boolean;
  readonly method: StringMatch | undefined;
  readonly authority: StringMatch | undefined;
  readonly scheme: StringMatch | undefined;
  /** Each of these lists is sorted by name. */
  readonly headers: readonly NamedMatch[];
  readonly withoutHeaders: readonly NamedMatch[];
  readonly queryParams: readonly NamedMatch[];
}

/** Destinations for connections that any of `matches` accepts. */
export interface TlsRoute {
  readonly matches: readonly TlsMatch[];
  readonly destinations: readonly Destination[];
}

/** Destinations for connections that any of `matches` accepts; without matches, for all. */
export interface TcpRoute {
  readonly matches: readonly TcpMatch[];
  readonly destinations: readonly Destination[];
}

/** All conditions must hold. The proxy evaluates only the subnets. */
export interface TcpMatch {
  /** The listener's port; 0 for any. */
  readonly port: number;
  readonly gateways: readonly string[];
  readonly sourceLabels: Labels;
  readonly sourceNamespace: string;
  /** CIDRs; empty for all destinations. */
  readonly destinationSubnets: readonly string[];
}

/** Also matches the SNI; SNI hosts may be wildcards. */
export interface TlsMatch extends TcpMatch {
  readonly sniHosts: readonly string[];
}

/** The action of an HTTP route. */
export type HttpAction = Redirect | DirectResponse | Forward;

/** Redirects the client. A field with "" keeps the value of the request. */
export interface Redirect {
  readonly type: "redirect";
  readonly authority: string;
  readonly path: { readonly type: "replace" | "prefix"; readonly value: string };
  readonly scheme: string;
  readonly port: number | "from-request" | "default";
  readonly code: number;
}

/** The proxy responds itself. */
export interface DirectResponse {
  readonly type: "direct-response";
  readonly status: number;
  readonly body: string | Uint8Array | undefined;
}

/** Forwards the request to one destination, chosen by weight. */
export interface Forward {
  readonly type: "forward";
  readonly destinations: readonly Destination[];
  /** Receive copies of requests; the proxy ignores their responses. */
  readonly mirrors: readonly Mirror[];
  readonly rewrite: Rewrite;
  readonly timeout: Duration | undefined;
  /** Undefined uses the default of the mesh. */
  readonly retries: RetryPolicy | undefined;
}

/** A service or subset that receives requests or connections. */
export interface Backend {
  readonly hostname: string;
  readonly subset: string;
  /** Undefined: the service's only port, else the listener's port. */
  readonly port: number | undefined;
}

/** A backend with a weight and header changes. */
export interface Destination extends Backend {
  readonly weight: number;
  readonly headers: HeaderOperations;
}

/** A backend that receives copies of requests. */
export interface Mirror extends Backend {
  /** The share of mirrored requests, never zero: a mirror without requests is omitted. */
  readonly fraction: Fraction;
}

/** Changes the path and host before forwarding; "" keeps the host. */
export interface Rewrite {
  readonly path:
    | { readonly type: "none" }
    | { readonly type: "prefix"; readonly value: string }
    | { readonly type: "regex"; readonly pattern: string; readonly substitution: string };
  readonly authority: string;
}

/** When, how often and where a failed request is retried. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly perTryTimeout: Duration | undefined;
  readonly retryOn: string;
  readonly remoteLocalities: boolean;
  /** Whether retries prefer endpoints that did not fail yet; undefined: yes, except with consistent hashing. */
  readonly ignorePreviousHosts: boolean | undefined;
  readonly backoff: Duration | undefined;
}

/** Changes to the headers of requests and responses; pairs are sorted by header name. */
export interface HeaderOperations {
  readonly request: HeaderChanges;
  readonly response: HeaderChanges;
}

/** `set` replaces existing values, `add` appends a value. */
export interface HeaderChanges {
  readonly set: readonly (readonly [name: string, value: string])[];
  readonly add: readonly (readonly [name: string, value: string])[];
  readonly remove: readonly string[];
}

/** How a string of a request is matched. `present` accepts any value. */
export type StringMatch =
  | { readonly type: "exact"; readonly value: string }
  | { readonly type: "prefix"; readonly value: string }
  | { readonly type: "regex"; readonly value: string }
  | { readonly type: "present" };

/** How a path is matched. `segments` accepts a path and all paths below it: `/a` and `/a/b`, not `/ab`. */
export type PathMatch = StringMatch | { readonly type: "segments"; readonly value: string };

/** A header or query parameter by name, and how its value is matched. */
export interface NamedMatch {
  readonly name: string;
  readonly match: StringMatch;
}

/** Fault injection: delays some requests, aborts some, or delays and then aborts some. */
export interface Fault {
  readonly delay: FaultDelay | undefined;
  readonly abort: FaultAbort | undefined;
}

/** Delays some requests by this time. */
export interface FaultDelay {
  readonly duration: Duration;
  readonly fraction: Fraction;
}

/** Aborts some requests with this status. */
export interface FaultAbort {
  readonly status: { readonly type: "http" | "grpc"; readonly code: number };
  readonly fraction: Fraction;
}

/** The CORS response to browsers when a page of another origin calls. */
export interface CorsPolicy {
  /** Origins that any of these matches may call. */
  readonly origins: readonly StringMatch[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  /** Response headers that a page may read, beside those that are always readable. */
  readonly exposedHeaders: readonly string[];
  /** How long a browser may cache a preflight response; undefined uses the browser's default. */
  readonly maxAgeSeconds: bigint | undefined;
  /** Whether requests may carry credentials such as cookies; undefined omits the header. */
  readonly credentials: boolean | undefined;
  /** Whether a preflight request of an unmatched origin is forwarded to the service. */
  readonly forwardsUnmatched: boolean;
}

/** A share of requests, from none to all. */
export interface Fraction {
  readonly numerator: number;
  readonly denominator: 100 | 1_000_000;
}
