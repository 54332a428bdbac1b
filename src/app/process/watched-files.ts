import { FileWatch } from "../../galley/source/file/file-watch.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { PathWatch } from "../../transport/tls/reloaded-files.ts";

export interface WatchedFiles<C extends Clock> {
  readonly clock: C;
  readonly openWatch: (onChange: () => void) => PathWatch;
}

/** How files are watched that are read again when they change. */
export function watchedFiles<C extends Clock>(clock: C): WatchedFiles<C> {
  return { clock, openWatch: (onChange) => new FileWatch({ clock, onChange }) };
}
