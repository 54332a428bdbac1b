import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { RegistryStateOptions } from "../registry/registry-state.ts";
import { SessionSource } from "../session-source.ts";
import type { EurekaServer } from "./eureka-server.ts";
import { EurekaSession } from "./eureka-session.ts";
import type { EurekaServiceSettings } from "./services-of.ts";

export interface EurekaSourceOptions
  extends EurekaServiceSettings,
    Pick<RegistryStateOptions, "deleteMode" | "emptyProtection" | "selector" | "zombieTtlMs"> {
  /** As the user wrote it, without secrets. */
  readonly name: string;
  /** Replicas of one registry. */
  readonly servers: readonly EurekaServer[];
  readonly clock: Clock;
  readonly refreshMs: number;
  /** Whether what changed is asked for, rather than everything each time. */
  readonly deltas: boolean;
  /** How many instances are taken; a registry with more is not used. */
  readonly maxInstances?: number;
  /** The share of instances that may vanish at once, and how long more than that are kept. */
  readonly maxDrop: number;
  readonly dropGraceMs: number;
}

/**
 * The applications of a Eureka registry as ServiceEntries, asked for again and again. What cannot be asked stays as it
 * was: while no server answers the source is stale.
 */
export function createEurekaSource(options: EurekaSourceOptions): SessionSource {
  return new SessionSource({
    name: options.name,
    collections: [serviceEntry.collection],
    open: (handler) => new EurekaSession(options, handler),
  });
}
