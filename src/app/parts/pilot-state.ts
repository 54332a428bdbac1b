import type { PilotState } from "../../admin/state.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { conflictsAmong } from "../../pilot/xds/conflicts.ts";
import { patchEffectsFor } from "../../pilot/xds/patch-effects.ts";
import type { Pilot } from "../build-pilot.ts";
import { timeOfDay } from "../process/time-of-day.ts";

/** The state that Pilot's pages show. */
export function pilotStateOf({
  discovery,
  environment,
  clock,
}: Pick<Pilot, "discovery" | "environment"> & { readonly clock: Clock }): PilotState {
  const { catalogue } = discovery;
  return {
    connections: () => discovery.connections,
    originOf: (id) => environment.originOf(id),
    published: () => catalogue.published,
    settled: () => discovery.settled,
    parts: () => discovery.catalogues.flatMap(({ parts }) => [...parts]),
    conflictsAmong: (proxies) => conflictsAmong(proxies, catalogue.types, catalogue.published),
    patchesFor: (proxy) => patchEffectsFor(proxy, catalogue.types, discovery.meshOf(proxy)),
    quarantine: () => discovery.quarantine?.report(),
    pushAll: () => discovery.pushAll("debug"),
    timeOf: timeOfDay(clock),
  };
}
