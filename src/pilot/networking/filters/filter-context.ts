import type { Capabilities } from "../../model/proxy/capabilities.ts";
import type { Protocol } from "../../model/service/service.ts";

/** Which way traffic flows: out of a workload, into it, or through a gateway. */
export type Direction = "outbound" | "inbound" | "gateway";

/** Where a filter would stand: decides whether it does, and how it is set up. */
export interface FilterContext {
  readonly direction: Direction;
  /** Of the listener's port. */
  readonly protocol: Protocol;
  readonly capabilities: Capabilities;
  /** Leaves out the headers that begin with `x-envoy-`. */
  readonly hidesDebug: boolean;
  /** Does not introduce the proxy to servers outside the mesh. */
  readonly hidesIdentityOutside: boolean;
}

/** The part of it that filters of connections depend on. */
export type NetworkContext = Pick<FilterContext, "direction" | "capabilities">;
