import type { ConfigId, Labels } from "../../../config/config.ts";
import type { ServerTls } from "../gateway/gateway.ts";
import type { Protocol } from "../service/service.ts";
import type { ConnectionPool } from "../traffic/destination-rule.ts";
import type { Destination } from "../traffic/virtual-service.ts";

/** Outbound and inbound listeners of the proxies of some workloads. Only one Sidecar applies to a workload. */
export interface Sidecar {
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: number;
  readonly owner: ConfigId;
  /** Undefined selects every workload of the namespace. */
  readonly selector: Labels | undefined;
  /** Empty for one listener that imports everything. */
  readonly egress: readonly EgressListener[];
  readonly ingress: readonly IngressListener[];
  /** Undefined uses the setting of the mesh. */
  readonly outboundPolicy: OutboundPolicy | undefined;
  readonly inboundConnectionPool: ConnectionPool | undefined;
}

/** The destination of traffic to unregistered services. */
export interface OutboundPolicy {
  readonly mode: "allow-any" | "registry-only";
  /** Receives the traffic instead of the original destination. */
  readonly egressProxy: Destination | undefined;
}

/** `none`: the proxy binds the port and applications call it; otherwise traffic is redirected to the proxy. */
export type CaptureMode = "default" | "iptables" | "none";

/** The port of a listener that the author of a Sidecar wrote. */
export interface ListenerPort {
  /** 0 for a unix socket. */
  readonly number: number;
  readonly name: string;
  readonly protocol: Protocol;
}

/** Services that workloads may call, on one port or on all ports without their own listener. */
export interface EgressListener {
  /** Undefined for the listener of all other ports; it is the last. */
  readonly port: ListenerPort | undefined;
  /** An address, or `unix://` and a path; "" lets the capture mode decide. */
  readonly bind: string;
  readonly captureMode: CaptureMode;
  readonly hosts: readonly HostImport[];
}

/** `namespace/hostname` of an egress listener. */
export interface HostImport {
  /** A name, `*` for all, or `.` for the proxy's own. */
  readonly namespace: string;
  /** May be a wildcard. */
  readonly hostname: string;
  /** True for `~namespace/hostname`: excludes the host. */
  readonly excluded: boolean;
}

/** A port of the workload that accepts inbound traffic. */
export interface IngressListener {
  readonly port: ListenerPort;
  /** "" for the proxy's own address. */
  readonly bind: string;
  readonly captureMode: CaptureMode;
  /** `address:port` or `unix://` and a path; "" for the original destination. */
  readonly defaultEndpoint: string;
  readonly connectionPool: ConnectionPool | undefined;
  /** How the proxy serves TLS where mesh mTLS is disabled. */
  readonly tls?: ServerTls | undefined;
}
