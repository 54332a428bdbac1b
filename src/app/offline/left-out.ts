import { type ConfigId, configId } from "../../config/config.ts";
import type { Source, SourceEvent } from "../../galley/source/source.ts";

/** A source without these objects, as if they were deleted from it. */
export function leavingOut(source: Source, ids: ReadonlySet<ConfigId>): Source {
  const isKept = (event: SourceEvent) =>
    event.type !== "upserted" || !ids.has(configId(event.config.kind, event.config.namespace, event.config.name));
  return {
    name: source.name,
    collections: source.collections,
    start: (handler) => source.start((events) => handler(events.filter(isKept))),
    stop: () => source.stop(),
    idle: () => source.idle(),
  };
}
