import type { ConfigId } from "../../../config/config.ts";
import type { Service } from "../service/service.ts";
import type { ConnectionPool } from "../traffic/destination-rule.ts";
import type { VirtualService } from "../traffic/virtual-service.ts";
import type { CaptureMode, IngressListener, ListenerPort, OutboundPolicy } from "./sidecar.ts";

/**
 * What of the mesh a group of proxies may see, within one PushContext. The seam between scoping (what is imported)
 * and pushing (who is concerned): the push pipeline asks `dependsOn` of the scope before and the scope after a
 * change, so that losing a dependency is noticed too.
 */
export interface Scope {
  /** Equal ids see the same things; part of every part's id that depends on the scope. */
  readonly id: string;
  readonly namespace: string;
  /** One per hostname, sorted by it. */
  readonly services: readonly Service[];
  service(hostname: string): Service | undefined;
  /** False only when no change of this object can alter anything generated for the scope. */
  dependsOn(changed: ConfigId): boolean;
}

/** What sidecars and proxyless clients see: all that is exported to them, narrowed by a Sidecar if one applies. */
export interface SidecarScope extends Scope {
  /** In order; the last may be the one without port that takes all other ports. Never empty. */
  readonly egress: readonly EgressScope[];
  /** Empty when no Sidecar says anything: then the workload's own services decide. */
  readonly ingress: readonly IngressListener[];
  readonly outboundPolicy: OutboundPolicy;
  readonly inboundConnectionPool: ConnectionPool | undefined;
  /** The Sidecar that applies. */
  readonly owner: ConfigId | undefined;
}

/** What one egress listener imports. */
export interface EgressScope {
  readonly port: ListenerPort | undefined;
  readonly bind: string;
  readonly captureMode: CaptureMode;
  /** One per hostname, oldest first, then by name; with only this port if the listener has one (not an HTTP proxy's). */
  readonly services: readonly Service[];
  /** Those of the gateway `mesh`, in the order in which they apply. */
  readonly virtualServices: readonly VirtualService[];
}

/** Which scope a proxy has: equal references mean the same scope in every PushContext. */
export interface ScopeRef {
  /** Of the proxy. */
  readonly namespace: string;
  /** `namespace/name` of the Sidecar that applies, "" for none. */
  readonly sidecar: string;
}
