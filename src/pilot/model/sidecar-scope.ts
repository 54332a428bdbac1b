import type { ConfigId } from "../../config/config.ts";
import type { Service } from "./service.ts";

/**
 * What of the mesh a group of proxies may see, within one PushContext. The seam between scoping (what is imported)
 * and pushing (who is concerned): the push pipeline asks `dependsOn` of the scope before and the scope after a
 * change, so that losing a dependency is noticed too.
 */
export interface SidecarScope {
  /** Equal ids see the same things; part of every part's id that depends on the scope. */
  readonly id: string;
  readonly namespace: string;
  /** Sorted by hostname, then namespace. */
  readonly services: readonly Service[];
  /** False only when no change of this object can alter anything generated for the scope. */
  dependsOn(changed: ConfigId): boolean;
}
