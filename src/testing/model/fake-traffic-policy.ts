import type {
  ClientTls,
  ConnectionPool,
  LoadBalancer,
  OutlierDetection,
  TrafficPolicy,
} from "../../pilot/model/traffic/destination-rule.ts";

/** Simple TLS, verified with the system's root certificates. */
export function fakeTls(changes: Partial<ClientTls> = {}): ClientTls {
  return {
    mode: "simple",
    clientCertificate: "",
    privateKey: "",
    caCertificates: "",
    caCrl: "",
    credentialName: "",
    subjectAltNames: [],
    sni: "",
    insecureSkipVerify: false,
    ...changes,
  };
}

/** A pool without limits. */
export function fakePool(changes: Partial<ConnectionPool> = {}): ConnectionPool {
  return {
    maxConnections: 0,
    maxPendingRequests: 0,
    maxRequests: 0,
    maxRetries: 0,
    maxRequestsPerConnection: 0,
    maxConcurrentStreams: 0,
    connectTimeout: undefined,
    idleTimeout: undefined,
    tcpIdleTimeout: undefined,
    maxConnectionDuration: undefined,
    tcpKeepalive: undefined,
    http2Keepalive: undefined,
    h2Upgrade: "default",
    useClientProtocol: false,
    ...changes,
  };
}

/** The load balancer settings that Istio uses by default. */
export function fakeBalancer(changes: Partial<LoadBalancer> = {}): LoadBalancer {
  return {
    algorithm: "least-request",
    consistentHash: undefined,
    warmup: undefined,
    localities: undefined,
    ...changes,
  };
}

/** Limits that are never reached. */
export function fakeOutliers(changes: Partial<OutlierDetection> = {}): OutlierDetection {
  return {
    consecutive5xx: undefined,
    consecutiveGatewayErrors: undefined,
    consecutiveLocalOriginFailures: undefined,
    splitExternalLocalOriginErrors: false,
    interval: undefined,
    baseEjectionTime: undefined,
    maxEjectionPercent: 0,
    minHealthPercent: 0,
    errorCodes: [],
    ...changes,
  };
}

/** A policy without settings. */
export function fakePolicy(changes: Partial<TrafficPolicy> = {}): TrafficPolicy {
  return {
    loadBalancer: undefined,
    connectionPool: undefined,
    outlierDetection: undefined,
    tls: undefined,
    proxyProtocol: undefined,
    retryBudget: undefined,
    tunnel: undefined,
    ports: new Map(),
    ...changes,
  };
}
