import type { Shortened } from "./listing.ts";
import type { ObjectLink } from "./object-link.ts";

/**
 * `GET /api/v1/rollouts`: `Listing<RolloutTimeline>`, those that are not over first, then the last 20 that ended. A
 * rollout brings a change to the proxies in waves.
 */
export interface RolloutTimeline {
  /** `namespace/name`. */
  readonly rollout: string;
  readonly phase: "waiting" | "delivering" | "paused" | "halted" | "finished" | "withdrawn";
  /** Waves so far. */
  readonly wave: number;
  /** The waves, as their author wrote them, and `100%`. */
  readonly waves: readonly string[];
  /** At most 20. */
  readonly objects: Shortened<ObjectLink>;
  /** Connected proxies that have the change and others do not have yet, and how many of them have accepted it. */
  readonly proxies: number;
  readonly accepted: number;
  /** The reason of a halt. */
  readonly reason: string;
  /** The oldest first: the first one, and the last 99. */
  readonly events: readonly RolloutStep[];
}

/** An event of a rollout, with its cause and reason. */
export interface RolloutStep {
  readonly at: string;
  /** `started`, `wave`, `acknowledged`, `gate`, `halted`, … */
  readonly type: string;
  readonly wave: number;
  /** Connected proxies that had the change then. */
  readonly proxies: number;
  /** A source or author of objects, a proxy, the gate, an operator or another replica; empty for the server, and for workloads. */
  readonly by: string;
  readonly reason: string;
}
