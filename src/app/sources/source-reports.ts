import type { SharedObject, SourceReport } from "../../admin/galley/sources.ts";
import type { SourceHealth } from "../../galley/processor/feed.ts";
import type { Processor } from "../../galley/processor/processor.ts";
import { OptionalSource } from "../../galley/source/optional-source.ts";
import type { Ledger } from "../../galley/source/room/ledger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { timeOfDay } from "../process/time-of-day.ts";
import type { SourceSet } from "./source-set.ts";
import type { SourceWatch } from "./source-watch.ts";

export interface SourceFacts {
  readonly processor: Pick<Processor, "health" | "shares" | "issues">;
  readonly sources: Pick<SourceSet, "sources">;
  readonly watch: SourceWatch;
  readonly ledgers: { readonly of: (name: string) => Pick<Ledger, "leftOut"> };
  readonly clock: Clock;
}

/** Every source in order of precedence, as it is now. */
export function sourceReports({ processor, sources, watch, ledgers, clock }: SourceFacts): readonly SourceReport[] {
  const timeOf = timeOfDay(clock);
  const optional = new Set(
    sources.sources.filter((source) => source instanceof OptionalSource).map(({ name }) => name),
  );
  const shares = Map.groupBy(processor.shares(), ({ source }) => source);
  const issues = Map.groupBy(processor.issues.values(), ({ source }) => source);
  return processor.health().map((health) => {
    const { name, stale, holdsUp } = health;
    const { heardAt, staleSince, syncs, errors } = watch.recordOf(name);
    const own = shares.get(name) ?? [];
    const shared = own.flatMap((share) => share.shared);
    return {
      name,
      state: stateOf(health),
      ...(stale !== undefined && { reason: stale }),
      ...(staleSince !== undefined && { staleSince: timeOf(staleSince) }),
      holdsUp,
      optional: optional.has(name),
      ...(heardAt !== undefined && { lastHeard: timeOf(heardAt) }),
      syncs,
      errors,
      leftOut: ledgers.of(name).leftOut,
      collections: own
        .filter(({ objects }) => objects > 0)
        .map(({ collection, objects, shared: all }) => ({ collection, objects, lost: lostBy(name, all).length })),
      wins: shared.filter(({ winner }) => winner === name),
      loses: lostBy(name, shared),
      issues: (issues.get(name) ?? []).flatMap((part) => part.issues),
    };
  });
}

function stateOf({ state, stale }: SourceHealth): SourceReport["state"] {
  return state === "stopped" || stale === undefined ? state : "stale";
}

function lostBy(name: string, shared: readonly SharedObject[]): readonly SharedObject[] {
  return shared.filter(({ winner }) => winner !== name);
}
