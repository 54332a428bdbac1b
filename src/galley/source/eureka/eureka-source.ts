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
  /** Whether to fetch deltas instead of everything each time. */
  readonly deltas: boolean;
  /** The most instances that the source accepts. A registry with more is not used. */
  readonly maxInstances?: number;
  /** The share of instances that may vanish at once, and how long a larger drop is held back. */
  readonly maxDrop: number;
  readonly dropGraceMs: number;
}

/**
 * Polls the applications of a Eureka registry and provides them as ServiceEntries. While no server answers, the last
 * content stays and the source is stale.
 */
export function createEurekaSource(options: EurekaSourceOptions): SessionSource {
  return new SessionSource({
    name: options.name,
    collections: [serviceEntry.collection],
    open: (handler) => new EurekaSession(options, handler),
  });
}
