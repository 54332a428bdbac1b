import {
  levelAt,
  type LoadLevel,
  loadLevels,
  type Pressure,
  type ResourceName,
  resources,
  scarcestOf,
} from "./pressure.ts";

/** The level of a process, and the measurements that may change it. */
export interface Load {
  readonly level: LoadLevel;
  /** The resource that caused the level; undefined while the level is normal. */
  readonly resource: ResourceName | undefined;
  /** Measurements in a row that were above the level. */
  readonly above: number;
  /** Measurements in a row that were clearly below the level. */
  readonly below: number;
}

export const noLoad: Load = { level: "normal", resource: undefined, above: 0, below: 0 };

/** Five seconds of measurements. */
const samplesToFall = 10;
/** A level ends below this share of its threshold, so that it does not come and go. */
const clearShare = 0.9;

/** The load after one more measurement. It rises at once to the measured level, and falls level by level. */
export function nextLoad(load: Load, pressure: Pressure): Load {
  const rank = loadLevels.indexOf(load.level);
  const measured = scarcestOf(pressure);
  if (loadLevels.indexOf(measured.level) > rank) {
    const above = load.above + 1;
    return above < resources[measured.resource].samples ? { ...load, above, below: 0 } : { ...noLoad, ...measured };
  }
  const calm = scarcestOf(pressure, clearShare);
  if (loadLevels.indexOf(calm.level) >= rank) return { ...load, above: 0, below: 0 };
  const below = load.below + 1;
  if (below < samplesToFall) return { ...load, above: 0, below };
  const level = levelAt(rank - 1);
  return { ...noLoad, level, resource: level === "normal" ? undefined : load.resource };
}
