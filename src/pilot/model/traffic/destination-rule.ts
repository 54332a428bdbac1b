import type { ConfigId } from "../../../config/config.ts";
import type { Duration } from "../duration.ts";
import type { Labels } from "../labels.ts";

/** How to talk to a host once routing has chosen it. */
export interface DestinationRule {
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: number;
  /** A full name, or a wildcard. */
  readonly host: string;
  readonly exportTo: readonly string[];
  /** The workloads of its namespace that it is for; undefined: whoever it is exported to. */
  readonly selector: Labels | undefined;
  readonly trafficPolicy: TrafficPolicy | undefined;
  readonly subsets: readonly Subset[];
  /** The rules it was made of, the deciding one first; more than one after merging. */
  readonly owners: readonly ConfigId[];
}

/**
 * The rules of one namespace for one host, merged; those with a different `exportTo` or selector stand apart. Those for
 * selected workloads come first, then the oldest.
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

/** What one port of a destination is told; undefined means: not said here. */
export interface PortPolicy {
  readonly loadBalancer: LoadBalancer | undefined;
  readonly connectionPool: ConnectionPool | undefined;
  readonly outlierDetection: OutlierDetection | undefined;
  readonly tls: ClientTls | undefined;
}

/** How connections to a destination are secured. `istio-mutual` uses the proxy's own certificates. */
export interface ClientTls {
  readonly mode: "disable" | "simple" | "mutual" | "istio-mutual";
  /** Paths on the proxy's disk; "" where nothing is said. */
  readonly clientCertificate: string;
  readonly privateKey: string;
  readonly caCertificates: string;
  readonly caCrl: string;
  readonly credentialName: string;
  readonly subjectAltNames: readonly string[];
  readonly sni: string;
  readonly insecureSkipVerify: boolean;
}

/** What a destination is told, or a port of it once all that holds for it is put together. */
export interface DestinationPolicy extends PortPolicy {
  /** The header that goes ahead of the bytes, to tell the server who is calling. */
  readonly proxyProtocol: "v1" | "v2" | undefined;
  readonly retryBudget: RetryBudget | undefined;
  readonly tunnel: Tunnel | undefined;
}

/** What a rule, or a subset of one, says: of a destination, and of single ports of it. */
export interface TrafficPolicy extends DestinationPolicy {
  /** By service port. An entry replaces the policy around it as a whole. */
  readonly ports: ReadonlyMap<number, PortPolicy>;
}

/** How many retries there may be at a time: a share of the active requests, but always so many. */
export interface RetryBudget {
  readonly percent: number;
  readonly minRetryConcurrency: number;
  readonly interval: Duration | undefined;
}

/** Connections are carried through another proxy, to this address. */
export interface Tunnel {
  readonly method: "CONNECT" | "POST";
  readonly targetHost: string;
  readonly targetPort: number;
}

/** How an endpoint is chosen. */
export interface LoadBalancer {
  /** How an endpoint is picked where no hash decides. */
  readonly algorithm: "least-request" | "round-robin" | "random" | "passthrough";
  readonly consistentHash: ConsistentHash | undefined;
  readonly warmup: Warmup | undefined;
  /** Undefined: as the service, else the mesh, has it. */
  readonly localities: LocalityPolicy | undefined;
}

/** What it counts for that an endpoint is near. */
export type LocalityPolicy =
  | { readonly type: "off" }
  | {
      readonly type: "locality";
      /** Shares of the traffic of one place; where it says something, nothing fails over. */
      readonly distribute: readonly Distribution[];
      readonly failover: readonly RegionFailover[];
      /** Labels, as `name` or `name=value`: the more of them an endpoint shares with the client, the sooner it is used. */
      readonly failoverPriority: readonly string[];
    }
  | {
      /** Zones of the client's region take what they can carry; Envoy works it out. */
      readonly type: "zone-aware";
      readonly enabled: boolean;
      readonly minClusterSize: number | undefined;
      readonly failover: readonly RegionFailover[];
      readonly failoverPriority: readonly string[];
    };

/** Where the traffic of a place goes, by patterns such as `region/zone/*`. */
export interface Distribution {
  readonly from: string;
  readonly to: ReadonlyMap<string, number>;
}

/** The region that steps in for another when too few there are healthy. */
export interface RegionFailover {
  readonly from: string;
  readonly to: string;
}

/** Equal keys go to one endpoint, for as long as the endpoints are the same. */
export interface ConsistentHash {
  /** What of a request or connection is the key: the business of routes. Undefined: nothing, so that chance decides. */
  readonly key: HashKey | undefined;
  readonly algorithm: "ring-hash" | "maglev";
  /** Of the ring, at least, or of Maglev's table; 0 leaves it to Envoy. */
  readonly size: number;
}

/** What of a request, or of a connection, is hashed. */
export type HashKey =
  | { readonly type: "header"; readonly name: string }
  | {
      readonly type: "cookie";
      readonly name: string;
      readonly path: string;
      /** Undefined: the proxy makes none up for clients without it. */
      readonly ttl: Duration | undefined;
      readonly attributes: readonly { readonly name: string; readonly value: string }[];
    }
  | { readonly type: "source-ip" }
  | { readonly type: "query-parameter"; readonly name: string };

/** An endpoint that is new gets its share little by little. */
export interface Warmup {
  readonly duration: Duration;
  readonly curve: { readonly minimumPercent: number; readonly aggression: number } | undefined;
}

/** How many connections and requests a destination is given, and how long they last. */
export interface ConnectionPool {
  /** Limits of 0 mean: no limit. */
  readonly maxConnections: number;
  readonly maxPendingRequests: number;
  readonly maxRequests: number;
  readonly maxRetries: number;
  readonly maxRequestsPerConnection: number;
  readonly maxConcurrentStreams: number;
  readonly connectTimeout: Duration | undefined;
  /** Of connections with requests: what is said of HTTP, else of TCP. */
  readonly idleTimeout: Duration | undefined;
  /** Of connections that are not looked into. */
  readonly tcpIdleTimeout: Duration | undefined;
  readonly maxConnectionDuration: Duration | undefined;
  readonly tcpKeepalive: TcpKeepalive | undefined;
  /** Pings on connections of HTTP/2. */
  readonly http2Keepalive:
    | { readonly interval: Duration | undefined; readonly timeout: Duration | undefined }
    | undefined;
  readonly h2Upgrade: "default" | "never" | "always";
  readonly useClientProtocol: boolean;
}

/** Seconds; 0 leaves a value to the operating system. */
export interface TcpKeepalive {
  readonly probes: number;
  readonly time: number;
  readonly interval: number;
}

/** When an endpoint counts as ill by what it answers, and for how long; undefined leaves it to Envoy. */
export interface OutlierDetection {
  readonly consecutive5xx: number | undefined;
  readonly consecutiveGatewayErrors: number | undefined;
  readonly consecutiveLocalOriginFailures: number | undefined;
  readonly splitExternalLocalOriginErrors: boolean;
  readonly interval: Duration | undefined;
  readonly baseEjectionTime: Duration | undefined;
  readonly maxEjectionPercent: number;
  readonly minHealthPercent: number;
}
