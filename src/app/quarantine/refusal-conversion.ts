import type { ConfigId } from "../../config/config.ts";
import type { AdoptedRefusal, Refusal, RefusingScope } from "../../pilot/xds/quarantine/refusals.ts";
import { objectIn, type StoredRefusal, storedObject } from "./refusal-document.ts";

/** Refusals by class and object. */
export type KnownRefusals = ReadonlyMap<string, StoredRefusal>;

/** The same moment on the clock of the process, and in milliseconds since 1970. */
export interface Moment {
  readonly now: number;
  readonly timeOfDay: number;
}

/** The refusals of classes that may be stored. A refusal that is stored already keeps the time at which it began. */
export function storableRefusals(
  scopes: readonly RefusingScope[],
  stored: KnownRefusals,
  moment: Moment,
): KnownRefusals {
  const ofClasses = scopes.filter(({ scope }) => scope.node === undefined);
  const all = ofClasses.flatMap(({ scope, refusals }) =>
    [...refusals.values()].flatMap((refusal): readonly StoredRefusal[] => {
      const told = storable(refusal);
      if (told === undefined) return [];
      const { accepted, ...facts } = told;
      const at = stored.get(refusalKey({ classId: scope.id, object: refusal.id }));
      const began = Math.round(refusal.since + Math.round(moment.timeOfDay - moment.now));
      const since = at?.version === facts.version ? at.since : began;
      return [{ classId: scope.id, className: scope.name, ...facts, since, accepted }];
    }),
  );
  return new Map(all.map((each) => [refusalKey(each), each]));
}

/** Undefined for a Secret. Without its accepted version a proxy would lose more than before the restart. */
function storable(refusal: Refusal): Omit<StoredRefusal, "classId" | "className" | "since"> | undefined {
  const { id, version, reason, rejected, node, confirmedBy, probes, instead } = refusal;
  const before = instead.type === "earlier version" ? instead.objects.get(id) : undefined;
  const accepted = before === undefined ? null : storedObject(before);
  if (accepted === undefined || id.startsWith("Secret/")) return undefined;
  const known = { reason, rejected, node, probes, version: version ?? null, confirmedBy: confirmedBy ?? null };
  return { object: id, ...known, accepted };
}

/** Undefined if the accepted version cannot be used. */
export function restoredRefusal(stored: StoredRefusal, { now, timeOfDay }: Moment): AdoptedRefusal | undefined {
  const { classId, className, object: id, version, confirmedBy, since, reason, rejected, node, probes } = stored;
  const accepted = stored.accepted === null ? undefined : objectIn(stored.accepted, id);
  if (stored.accepted !== null && accepted === undefined) return undefined;
  const scope = { id: classId, name: className, classId, node: undefined };
  const facts = { reason, rejected, node, probes, since: now - Math.max(0, timeOfDay - since) };
  return { ...facts, scope, id, accepted, version: version ?? undefined, confirmedBy: confirmedBy ?? undefined };
}

export function refusalKey({ classId, object }: { readonly classId: string; readonly object: ConfigId }): string {
  return JSON.stringify([classId, object]);
}
