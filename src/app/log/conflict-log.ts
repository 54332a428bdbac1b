import type { Logger } from "../../lib/logger.ts";
import type { Conflict } from "../../pilot/model/conflict.ts";
import type { DanglingReference } from "../../pilot/model/traffic/dangling-references.ts";
import { type OriginOf, placed, placeOf } from "./placed.ts";

interface FindingLog<T> {
  readonly appeared: (finding: T) => void;
  readonly cleared: (finding: T) => void;
}

/** A line names no more of those who lose a conflict. */
const maxLosers = 20;

/** A line for each conflict that comes or goes, with the places of those who are at odds. */
export function conflictLog(logger: Logger, originOf: OriginOf): FindingLog<Conflict> {
  const fieldsOf = ({ winner, losers, ...conflict }: Conflict) => ({
    ...conflict,
    winner: winner === undefined ? undefined : placed(winner, originOf),
    losers: losers.slice(0, maxLosers).map((loser) => placed(loser, originOf)),
    ...(losers.length > maxLosers && { moreLosers: losers.length - maxLosers }),
  });
  return {
    appeared: (conflict) => logger.warn(fieldsOf(conflict), "conflict"),
    cleared: (conflict) => logger.info(fieldsOf(conflict), "conflict resolved"),
  };
}

/** A line for each reference that begins or ceases to lead nowhere. */
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
