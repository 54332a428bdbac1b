import type { ConfigId } from "../../../config/config.ts";
import type { Duration } from "../duration.ts";
import type { Labels } from "../labels.ts";
import type { CorsPolicy } from "./cors-policy.ts";
import type { Fault } from "./fault.ts";
import type { Fraction } from "./fraction.ts";
import type { NamedMatch, PathMatch, StringMatch } from "./string-match.ts";

/** Routing rules for some hosts. All names are resolved: hosts are full, gateways are `mesh` or `namespace/name`. */
export interface VirtualService {
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: number;
  readonly owner: ConfigId;
  /** Whose routes it took over: objects of which it consists, too. */
  readonly delegates: readonly ConfigId[];
  /** To whom it delegates in vain, as `namespace/name`: they are not there, are none, or are not exported to it. */
  readonly missingDelegates: readonly string[];
  readonly hosts: readonly string[];
  readonly gateways: readonly string[];
  readonly exportTo: readonly string[];
  readonly http: readonly HttpRoute[];
  /** For TLS connections that are passed on unopened. */
  readonly tls: readonly TlsRoute[];
  readonly tcp: readonly TcpRoute[];
}

/** Every object that the routes of a virtual service are made of. */
export function ownersOf({ owner, delegates }: VirtualService): readonly ConfigId[] {
  return [owner, ...delegates];
}

/** Whether it says anything about connections, whose requests nobody reads. */
export function routesConnections({ tcp, tls }: VirtualService): boolean {
  return tcp.length + tls.length > 0;
}

/** Whether connections are sent to one of these hosts. */
export function sendsConnectionsTo(hostnames: ReadonlySet<string>, { tcp, tls }: VirtualService): boolean {
  return [...tcp, ...tls].some(({ destinations }) => destinations.some(({ hostname }) => hostnames.has(hostname)));
}

/** Whether requests, or copies of them, are sent to one of these hosts. */
export function sendsRequestsTo(hostnames: ReadonlySet<string>, { http }: VirtualService): boolean {
  return http.some((route) => backendsOf(route).some(({ hostname }) => hostnames.has(hostname)));
}

/** Where a route sends requests, and copies of them. */
export function backendsOf({ action }: HttpRoute): readonly Backend[] {
  return action.type === "forward" ? [...action.destinations, ...action.mirrors] : [];
}

/** Applies to a request that any of `matches` accepts; without matches, to all. The first route that applies decides. */
export interface HttpRoute {
  readonly name: string;
  readonly matches: readonly HttpMatch[];
  readonly headers: HeaderOperations;
  readonly fault: Fault | undefined;
  readonly cors: CorsPolicy | undefined;
  readonly action: HttpAction;
}

/** All conditions hold. The first four are decided when a proxy's routes are made, the others per request. */
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

/** Where connections go that any of `matches` accepts. */
export interface TlsRoute {
  readonly matches: readonly TlsMatch[];
  readonly destinations: readonly Destination[];
}

/** Where connections go that any of `matches` accepts; without matches, all. */
export interface TcpRoute {
  readonly matches: readonly TcpMatch[];
  readonly destinations: readonly Destination[];
}

/** All conditions hold. Only the subnets are left for the proxy to decide. */
export interface TcpMatch {
  /** The listener's port; 0 for any. */
  readonly port: number;
  readonly gateways: readonly string[];
  readonly sourceLabels: Labels;
  readonly sourceNamespace: string;
  /** CIDRs; empty for all destinations. */
  readonly destinationSubnets: readonly string[];
}

/** By the names that TLS asks for as well; they may be wildcards. */
export interface TlsMatch extends TcpMatch {
  readonly sniHosts: readonly string[];
}

/** What becomes of a request. */
export type HttpAction = Redirect | DirectResponse | Forward;

/** The client is sent elsewhere. What is "" stays as it was asked for. */
export interface Redirect {
  readonly type: "redirect";
  readonly authority: string;
  readonly path: { readonly type: "replace" | "prefix"; readonly value: string };
  readonly scheme: string;
  readonly port: number | "from-request" | "default";
  readonly code: number;
}

/** The proxy answers by itself. */
export interface DirectResponse {
  readonly type: "direct-response";
  readonly status: number;
  readonly body: string | Uint8Array | undefined;
}

/** The request is sent on, to one destination by weight. */
export interface Forward {
  readonly type: "forward";
  readonly destinations: readonly Destination[];
  /** Get copies of requests; nobody waits for their answers. */
  readonly mirrors: readonly Mirror[];
  readonly rewrite: Rewrite;
  readonly timeout: Duration | undefined;
  /** Undefined means: the mesh's default. */
  readonly retries: RetryPolicy | undefined;
}

/** A service, or a subset of one, that requests or connections are sent to. */
export interface Backend {
  readonly hostname: string;
  readonly subset: string;
  /** Undefined means: the service's only port, else the listener's. */
  readonly port: number | undefined;
}

/** A backend that gets a share, and what becomes of headers on the way there. */
export interface Destination extends Backend {
  readonly weight: number;
  readonly headers: HeaderOperations;
}

/** A backend that gets copies of requests. */
export interface Mirror extends Backend {
  /** How many of the requests are copied: some of them, or it would not be there. */
  readonly fraction: Fraction;
}

/** What becomes of path and host on the way; "" leaves the host as it is. */
export interface Rewrite {
  readonly path:
    | { readonly type: "none" }
    | { readonly type: "prefix"; readonly value: string }
    | { readonly type: "regex"; readonly pattern: string; readonly substitution: string };
  readonly authority: string;
}

/** When, how often and where a request that failed is tried again. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly perTryTimeout: Duration | undefined;
  readonly retryOn: string;
  readonly remoteLocalities: boolean;
  /** Whether endpoints that failed are tried again last; undefined: unless requests stay with one. */
  readonly ignorePreviousHosts: boolean | undefined;
  readonly backoff: Duration | undefined;
}

/** Changes to the headers of requests and responses; pairs are sorted by header name. */
export interface HeaderOperations {
  readonly request: HeaderChanges;
  readonly response: HeaderChanges;
}

/** `set` replaces what is there, `add` comes beside it. */
export interface HeaderChanges {
  readonly set: readonly (readonly [name: string, value: string])[];
  readonly add: readonly (readonly [name: string, value: string])[];
  readonly remove: readonly string[];
}
