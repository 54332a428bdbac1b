import type { ConfigId, Labels } from "../../../config/config.ts";
import type { Duration } from "../duration.ts";

/** Policies for traffic to a host, applied after routing. */
export interface DestinationRule {
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: number;
  /** A full name, or a wildcard. */
  readonly host: string;
  readonly exportTo: readonly string[];
  /** Workloads of its namespace that the rule applies to; undefined for every client that it is exported to. */
  readonly selector: Labels | undefined;
  readonly trafficPolicy: TrafficPolicy | undefined;
  readonly subsets: readonly Subset[];
  /** The source rules, the deciding one first; more than one after merging. */
  readonly owners: readonly ConfigId[];
}

/**
 * The rules of one namespace for one host, merged. Rules with a different `exportTo` or selector stay separate. Rules
 * with a selector come first, then the oldest.
 */
export interface HostRules {
  readonly namespace: string;
  readonly host: string;
  readonly rules: readonly DestinationRule[];
}

/** A named part of a service's endpoints, chosen by labels. */
export interface Subset {
  readonly name: string;
  readonly labels: Labels;
  readonly trafficPolicy: TrafficPolicy | undefined;
}

/** The policy of one port of a destination; undefined for fields that the policy does not set. */
export interface PortPolicy {
  readonly loadBalancer: LoadBalancer | undefined;
  readonly connectionPool: ConnectionPool | undefined;
  readonly outlierDetection: OutlierDetection | undefined;
  readonly tls: ClientTls | undefined;
}

/** How connections to a destination are secured. `istio-mutual` uses the proxy's own certificates. */
export interface ClientTls {
  readonly mode: "disable" | "simple" | "mutual" | "istio-mutual";
  /** Paths on the proxy's disk; "" for none. */
  readonly clientCertificate: string;
  readonly privateKey: string;
  readonly caCertificates: string;
  readonly caCrl: string;
  readonly credentialName: string;
  readonly subjectAltNames: readonly string[];
  readonly sni: string;
  readonly insecureSkipVerify: boolean;
}

/** The policy of a destination, or the merged policy of one of its ports. */
export interface DestinationPolicy extends PortPolicy {
  /** The PROXY protocol header that gives the client's address to the server. */
  readonly proxyProtocol: "v1" | "v2" | undefined;
  readonly retryBudget: RetryBudget | undefined;
  readonly tunnel: Tunnel | undefined;
}

/** The policy of a rule or a subset: for the destination, and for single ports. */
export interface TrafficPolicy extends DestinationPolicy {
  /** By service port. An entry replaces the surrounding policy as a whole. */
  readonly ports: ReadonlyMap<number, PortPolicy>;
}

/** Limit of concurrent retries: a share of the active requests, with a minimum. */
export interface RetryBudget {
  readonly percent: number;
  readonly minRetryConcurrency: number;
  /** Requests of this period count, not only active ones. Undefined: only active and pending requests count. */
  readonly interval: Duration | undefined;
}

/** Tunnels connections through another proxy to this address. */
export interface Tunnel {
  readonly method: "CONNECT" | "POST";
  readonly targetHost: string;
  readonly targetPort: number;
}

/** How the proxy chooses an endpoint. */
export interface LoadBalancer {
  /** How the proxy chooses an endpoint without a hash. */
  readonly algorithm: "least-request" | "round-robin" | "random" | "passthrough";
  readonly consistentHash: ConsistentHash | undefined;
  readonly warmup: Warmup | undefined;
  /** Undefined: the setting of the service, else of the mesh. */
  readonly localities: LocalityPolicy | undefined;
}

/** How the locality of an endpoint affects load balancing. */
export type LocalityPolicy =
  | { readonly type: "off" }
  | {
      readonly type: "locality";
      /** Traffic shares by client locality; failover is disabled where they apply. */
      readonly distribute: readonly Distribution[];
      readonly failover: readonly RegionFailover[];
      /**
       * Labels, as `name` or `name=value`. Endpoints that share more of them with the client have a higher priority.
       */
      readonly failoverPriority: readonly string[];
    }
  | {
      /** Envoy's zone-aware routing: zones of the client's region take as much traffic as they can carry. */
      readonly type: "zone-aware";
      readonly enabled: boolean;
      readonly minClusterSize: number | undefined;
      readonly failover: readonly RegionFailover[];
      readonly failoverPriority: readonly string[];
    };

/** Traffic shares of one client locality, by patterns such as `region/zone/*`. */
export interface Distribution {
  readonly from: string;
  readonly to: ReadonlyMap<string, number>;
}

/** The region that takes over when another region has too few healthy endpoints. */
export interface RegionFailover {
  readonly from: string;
  readonly to: string;
}

/** Sends equal keys to the same endpoint, while the set of endpoints stays the same. */
export interface ConsistentHash {
  /** The request or connection property that routes hash. Undefined for none: then the choice is random. */
  readonly key: HashKey | undefined;
  readonly algorithm: "ring-hash" | "maglev";
  /** Minimum size of the ring, or size of the Maglev table; 0 uses Envoy's default. */
  readonly size: number;
}

/** The property of a request or connection that is hashed. */
export type HashKey =
  | { readonly type: "header"; readonly name: string }
  | {
      readonly type: "cookie";
      readonly name: string;
      readonly path: string;
      /** Undefined: the proxy generates no cookie for clients without one. */
      readonly ttl: Duration | undefined;
      readonly attributes: readonly { readonly name: string; readonly value: string }[];
    }
  | { readonly type: "source-ip" }
  | { readonly type: "query-parameter"; readonly name: string };

/** Slow start: a new endpoint gets its share of traffic gradually. */
export interface Warmup {
  readonly duration: Duration;
  readonly curve: { readonly minimumPercent: number; readonly aggression: number } | undefined;
}

/** Limits and timeouts of connections and requests to a destination. */
export interface ConnectionPool {
  /** 0 disables a limit. */
  readonly maxConnections: number;
  readonly maxPendingRequests: number;
  readonly maxRequests: number;
  readonly maxRetries: number;
  readonly maxRequestsPerConnection: number;
  readonly maxConcurrentStreams: number;
  readonly connectTimeout: Duration | undefined;
  /** Idle timeout of HTTP connections: the HTTP setting, else the TCP setting. */
  readonly idleTimeout: Duration | undefined;
  /** Idle timeout of TCP connections. */
  readonly tcpIdleTimeout: Duration | undefined;
  readonly maxConnectionDuration: Duration | undefined;
  readonly tcpKeepalive: TcpKeepalive | undefined;
  /** HTTP/2 keepalive pings. */
  readonly http2Keepalive:
    | { readonly interval: Duration | undefined; readonly timeout: Duration | undefined }
    | undefined;
  readonly h2Upgrade: "default" | "never" | "always";
  readonly useClientProtocol: boolean;
}

/** Seconds; 0 uses the operating system's default. */
export interface TcpKeepalive {
  readonly probes: number;
  readonly time: number;
  readonly interval: number;
}

/** When and for how long an endpoint is ejected because of its responses; undefined uses Envoy's default. */
export interface OutlierDetection {
  readonly consecutive5xx: number | undefined;
  readonly consecutiveGatewayErrors: number | undefined;
  readonly consecutiveLocalOriginFailures: number | undefined;
  readonly splitExternalLocalOriginErrors: boolean;
  readonly interval: Duration | undefined;
  readonly baseEjectionTime: Duration | undefined;
  readonly maxEjectionPercent: number;
  readonly minHealthPercent: number;
  /** The statuses that count as errors; empty for the default, 500 and above. */
  readonly errorCodes: readonly number[];
}
