import type { ConfigId } from "../../../config/config.ts";
import type { Service } from "../service/service.ts";
import type { ConnectionPool } from "../traffic/destination-rule.ts";
import type { VirtualService } from "../traffic/virtual-service.ts";
import type { CaptureMode, IngressListener, ListenerPort, OutboundPolicy } from "./sidecar.ts";

/** The part of the mesh that a group of proxies sees, within one PushContext. */
export interface Scope {
  readonly namespace: string;
  /** One per hostname, sorted by it. */
  readonly services: readonly Service[];
  service(hostname: string): Service | undefined;
}

/** The scope of sidecars and proxyless clients: everything exported to them, narrowed by the Sidecar that applies. */
export interface SidecarScope extends Scope {
  /** In order; the last may be the listener without a port, for all other ports. Never empty. */
  readonly egress: readonly EgressScope[];
  /** Empty when no Sidecar has ingress listeners: then the workload's own services decide. */
  readonly ingress: readonly IngressListener[];
  readonly outboundPolicy: OutboundPolicy;
  readonly inboundConnectionPool: ConnectionPool | undefined;
  /** The Sidecar that applies. */
  readonly owner: ConfigId | undefined;
}

/** The imports of one egress listener. */
export interface EgressScope {
  readonly port: ListenerPort | undefined;
  readonly bind: string;
  readonly captureMode: CaptureMode;
  /**
   * One per hostname, oldest first, then by name. A listener with a port reduces them to that port, except an HTTP
   * proxy.
   */
  readonly services: readonly Service[];
  /** Those of the gateway `mesh`, in the order in which they apply. */
  readonly virtualServices: readonly VirtualService[];
}

/** Identifies the scope of a proxy. Equal references resolve to the same scope in every PushContext. */
export interface ScopeRef {
  /** Of the proxy. */
  readonly namespace: string;
  /** `namespace/name` of the Sidecar that applies, "" for none. */
  readonly sidecar: string;
  /** The agent answers DNS questions of its workload, so allocated addresses can be called. */
  readonly capturesDns?: true;
}
