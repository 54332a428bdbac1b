import type { EnvoyConfig } from "../envoy-config.ts";

/** The receiver of connections at the address of an endpoint. */
export type EndpointPeer = ProxiedPeer | BarePeer;

/** A proxy of the mesh is in front of the workload, or is the workload. */
export interface ProxiedPeer {
  readonly type: "proxy";
  /** For people: `sidecar reviews-0.shop`. */
  readonly name: string;
  readonly direction: "inbound" | "gateway";
  readonly config: EnvoyConfig;
  /** The SPIFFE id in its mesh certificate, if known. */
  readonly identity?: string;
}

/** The workload itself accepts the connections. */
interface BarePeer {
  readonly type: "workload";
  /** Why this is known, as a clause. */
  readonly because: string;
}

/** Returns undefined for an unknown address. */
export type PeerAt = (address: string) => EndpointPeer | undefined;
