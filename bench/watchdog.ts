import { benchTable } from "./bench-table.ts";
import { measuredApart } from "./measured-apart.ts";

export interface WatchdogFigures {
  /** Time of the processor that the watchdog's thread used. */
  readonly threadMs: number;
  readonly seconds: number;
  /** The memory of the process that came with the thread. */
  readonly rssBytes: number;
}

const seconds = 30;

/** The cost of the watchdog in a process that does nothing else. */
export function watchdog(): string {
  const { threadMs, rssBytes } = measuredApart("watchdog-run.ts", [String(seconds)]) as WatchdogFigures;
  const perHour = (threadMs / seconds) * 3_600;
  const row = [
    `${threadMs.toFixed(1)} ms in ${seconds} s`,
    `${(perHour / 1000).toFixed(1)} s`,
    `${(rssBytes / 1e6).toFixed(1)} MB`,
  ];
  return benchTable(["CPU of the thread", "CPU per hour", "memory"], [row]);
}
