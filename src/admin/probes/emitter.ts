/** One part of the process, and what it still waits for before it does its work. */
export interface Emitter {
  readonly name: string;
  /** Empty when it is available. */
  readonly awaited: () => readonly string[];
}

/** The process is there: all that liveness is about. Whatever depends on configuration would restart in vain. */
export const alive: Emitter = { name: "process", awaited: () => [] };

/** What is waited for, by whom; empty when all are available. Where there is nobody to ask, nothing can be. */
export function awaitedBy(emitters: readonly Emitter[]): readonly string[] {
  if (emitters.length === 0) return ["somebody to ask"];
  return emitters.flatMap(({ name, awaited }) => awaited().map((what) => `${name}: ${what}`));
}
