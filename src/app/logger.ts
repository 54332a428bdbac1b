import { pino } from "pino";
import type { Logger } from "../lib/logger.ts";
import { logLineAsText } from "./log-text.ts";

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ["text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Unless given: text on a terminal, else JSON. */
  readonly format: LogFormat | undefined;
}

/** Logs to stderr, so that stdout carries nothing but data. */
export function createLogger({ level, format }: LoggerOptions): Logger {
  const chosen = format ?? (process.stderr.isTTY ? "text" : "json");
  const settings = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Synchronous: the last lines before an end are those that matter.
  if (chosen === "json") return pino(settings, pino.destination({ dest: 2, sync: true }));
  return pino(settings, { write: (line) => void process.stderr.write(logLineAsText(line)) });
}
