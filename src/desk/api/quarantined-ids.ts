import type { ConfigId } from "../../config/config.ts";
import type { DeskState } from "./desk-state.ts";

/** The objects that are kept away from proxies which refuse them. */
export function quarantinedIds({ quarantine }: Pick<DeskState, "quarantine">): ReadonlySet<ConfigId> {
  return new Set(quarantine()?.refusals.map(({ id }) => id));
}
