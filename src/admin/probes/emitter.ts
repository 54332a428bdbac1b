/** One part of the process, and what it waits for before it can work. */
export interface Emitter {
  readonly name: string;
  /** Empty when it is available. */
  readonly awaited: () => readonly string[];
  /** Remarks for people about a part that works with less than it should. */
  readonly remarks?: () => readonly string[];
}

/** Liveness covers only the process itself. A check that depends on configuration would cause useless restarts. */
export const alive: Emitter = { name: "process", awaited: () => [] };

/**
 * The awaited conditions with their emitters. Empty when all are available. Without emitters the process is not
 * available.
 */
export function awaitedBy(emitters: readonly Emitter[]): readonly string[] {
  if (emitters.length === 0) return ["a part to start"];
  return emitters.flatMap(({ name, awaited }) => awaited().map((what) => `${name}: ${what}`));
}
