import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import { SessionSource } from "../session-source.ts";
import { EurekaSession, type EurekaSourceOptions } from "./eureka-session.ts";

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
