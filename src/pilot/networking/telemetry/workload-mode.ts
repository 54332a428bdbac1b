import type { WorkloadMode } from "../../model/policy/telemetry.ts";
import type { Direction } from "../filters/filter.ts";

/** The side of the connection: a gateway sends requests, like a client. */
export function modeOf(direction: Direction): WorkloadMode {
  return direction === "inbound" ? "server" : "client";
}
