import type { ConfigId } from "../../../config/config.ts";
import type { ServerTls } from "../gateway/gateway.ts";
import type { Labels } from "../labels.ts";
import type { Protocol } from "../service/service.ts";
import type { ConnectionPool } from "../traffic/destination-rule.ts";
import type { Destination } from "../traffic/virtual-service.ts";

/** What the proxies of some workloads let out and in. Of several that select a workload only one applies. */
export interface Sidecar {
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: number;
  readonly owner: ConfigId;
  /** Undefined selects every workload of the namespace. */
  readonly selector: Labels | undefined;
  /** Empty means: one listener that imports everything. */
  readonly egress: readonly EgressListener[];
  readonly ingress: readonly IngressListener[];
  /** Undefined leaves it to the mesh. */
  readonly outboundPolicy: OutboundPolicy | undefined;
  readonly inboundConnectionPool: ConnectionPool | undefined;
}

/** Where traffic goes whose destination nobody registered. */
export interface OutboundPolicy {
  readonly mode: "allow-any" | "registry-only";
  /** Instead of straight out. */
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

/** What workloads may call, on one port or on all that no other listener takes. */
export interface EgressListener {
  /** Undefined for the listener that takes all other ports; it is the last. */
  readonly port: ListenerPort | undefined;
  /** An address, or `unix://` and a path; "" leaves it to the capture mode. */
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
  /** True for `~namespace/hostname`: leave it out. */
  readonly excluded: boolean;
}

/** A port of the workload that is let in to. */
export interface IngressListener {
  readonly port: ListenerPort;
  /** "" for the proxy's own address. */
  readonly bind: string;
  readonly captureMode: CaptureMode;
  /** `address:port` or `unix://` and a path; "" for where the connection was going. */
  readonly defaultEndpoint: string;
  readonly connectionPool: ConnectionPool | undefined;
  /** How the proxy itself serves TLS, where the mesh's is switched off. */
  readonly tls?: ServerTls | undefined;
}
