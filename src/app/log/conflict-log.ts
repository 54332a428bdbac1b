import type { Logger } from "../../lib/logger.ts";
import type { Conflict } from "../../pilot/model/conflict.ts";
import type { DanglingReference } from "../../pilot/model/traffic/dangling-references.ts";
import { type OriginOf, idWithPlace, placeOf } from "./object-place.ts";

interface FindingLog<T> {
  readonly appeared: (finding: T) => void;
  readonly cleared: (finding: T) => void;
}

/** The number of losing objects in one line. */
const maxLosers = 20;

/** Logs each conflict when it appears and when it is resolved, with the places of its objects. */
export function conflictLog(logger: Logger, originOf: OriginOf): FindingLog<Conflict> {
  const fieldsOf = ({ winner, losers, ...conflict }: Conflict) => ({
    ...conflict,
    winner: winner === undefined ? undefined : idWithPlace(winner, originOf),
    losers: losers.slice(0, maxLosers).map((loser) => idWithPlace(loser, originOf)),
    ...(losers.length > maxLosers && { moreLosers: losers.length - maxLosers }),
  });
  return {
    appeared: (conflict) => logger.warn(fieldsOf(conflict), "conflict"),
    cleared: (conflict) => logger.info(fieldsOf(conflict), "conflict resolved"),
  };
}

/** Logs each dangling reference when it appears and when it is resolved. */
export function danglingLog(logger: Logger, originOf: OriginOf): FindingLog<DanglingReference> {
  const fieldsOf = ({ owner, ...reference }: DanglingReference) => ({
    object: owner,
    reference: placeOf(owner, originOf),
    ...reference,
  });
  return {
    appeared: (dangling) => logger.warn(fieldsOf(dangling), "referenced object not found"),
    cleared: (dangling) => logger.info(fieldsOf(dangling), "referenced object found again"),
  };
}
