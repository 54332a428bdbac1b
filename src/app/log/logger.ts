import { pino } from "pino";
import type { Logger } from "../../lib/logger.ts";
import { logLineAsText } from "./log-text.ts";

export const logFormats = ["text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

/**
 * Logs to stderr, so that stdout carries nothing but data: as text on a terminal and as JSON elsewhere, unless told
 * otherwise. It writes all that it is given; what that is depends on the scope (`log-scopes.ts`).
 */
export function createLogger(format: LogFormat | undefined): Logger {
  const chosen = format ?? (process.stderr.isTTY ? "text" : "json");
  const settings = {
    level: "debug",
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Synchronous: the last lines before an end are those that matter.
  if (chosen === "json") return pino(settings, pino.destination({ dest: 2, sync: true }));
  return pino(settings, { write: (line) => void process.stderr.write(logLineAsText(line)) });
}
