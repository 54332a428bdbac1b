import type { Protocol } from "../../model/service/service.ts";
import type { Direction, FilterContext } from "../filters/filter-context.ts";
import type { ListenerClient } from "./listener-client.ts";

/** Where filters of a client's listener stand. */
export function clientFilterContext(
  direction: Direction,
  protocol: Protocol,
  { capabilities, settings }: Pick<ListenerClient, "capabilities" | "settings">,
): FilterContext {
  const { hidesDebug, hidesIdentityOutside } = settings.proxy.headers;
  return { direction, protocol, capabilities, hidesDebug, hidesIdentityOutside };
}
