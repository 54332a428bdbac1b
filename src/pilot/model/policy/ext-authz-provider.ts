import type { Duration } from "../duration.ts";

/** The body of a request, as far as the authorization service gets it. */
export interface CheckedBody {
  readonly maxBytes: number;
  /** A longer body is cut; else the request is rejected with 413. */
  readonly allowsPartial: boolean;
  /** Sends the body as bytes instead of text; only over gRPC. */
  readonly asBytes: boolean;
}

/** The fields of authorization services that are called over gRPC and over HTTP. */
interface AuthorizationService {
  readonly name: string;
  /** Undefined if the service is unknown or ambiguous. Then policies that name the provider deny. */
  readonly cluster: string | undefined;
  readonly hostname: string;
  /** Undefined for ten minutes. */
  readonly timeout: Duration | undefined;
  /** Whether requests pass while the service fails. */
  readonly failOpen: boolean;
  /** The status of requests that are denied because the service fails; undefined for 403. */
  readonly statusOnError: number | undefined;
  readonly body: CheckedBody | undefined;
  /** Chooses the route again, after the service changed headers. */
  readonly clearsRouteCache: boolean;
}

/** A service that decides about requests and connections, called over gRPC. */
export interface ExtAuthzGrpcProvider extends AuthorizationService {
  readonly type: "ext-authz-grpc";
}

/** A service that decides about requests, called over HTTP. Lists of headers may have a `*` at one end. */
export interface ExtAuthzHttpProvider extends AuthorizationService {
  readonly type: "ext-authz-http";
  readonly pathPrefix: string;
  /** Headers of the request that the service gets. */
  readonly requestHeaders: readonly string[];
  /** Headers that the service gets in addition. */
  readonly addedHeaders: Readonly<Record<string, string>>;
  /** Headers of the service's answer that the workload gets. */
  readonly upstreamHeadersOnAllow: readonly string[];
  /** Headers of the service's answer that the client gets. */
  readonly clientHeadersOnAllow: readonly string[];
  readonly clientHeadersOnDeny: readonly string[];
}

export type ExtAuthzProvider = ExtAuthzGrpcProvider | ExtAuthzHttpProvider;
