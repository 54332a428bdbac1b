import type { Capabilities } from "../../model/capabilities.ts";
import { capabilitiesId } from "../../model/capabilities.ts";
import type { Protocol } from "../../model/service.ts";

/** Which way traffic flows: out of a workload, into it, or through a gateway. */
export type Direction = "outbound" | "inbound" | "gateway";

/** Where a filter would stand: decides whether it does, and how it is set up. */
export interface FilterContext {
  readonly direction: Direction;
  /** Of the listener's port. */
  readonly protocol: Protocol;
  readonly capabilities: Capabilities;
}

/** Equal ids mean equal filters. */
export function filterContextId({ direction, protocol, capabilities }: FilterContext): string {
  return `${direction} ${protocol} ${capabilitiesId(capabilities)}`;
}
