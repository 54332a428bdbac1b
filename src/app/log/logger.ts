import { pino } from "pino";
import type { Logger } from "../../lib/logger.ts";
import { boundedFields } from "./bounded-fields.ts";
import type { LogDestination } from "./log-destination.ts";
import { logLineAsText } from "./log-text.ts";

export const logFormats = ["text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

/**
 * Logs to stderr, so that stdout carries only data. The default format is text on a terminal and JSON elsewhere. It
 * writes every line that it receives; the scopes filter lines before (`log-scopes.ts`).
 */
export function createLogger(destination: Pick<LogDestination, "write">, format: LogFormat | undefined): Logger {
  const chosen = stderrFormat(format);
  const settings = {
    level: "debug",
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const write = chosen === "json" ? destination.write : (line: string) => destination.write(logLineAsText(line));
  return bounded(pino(settings, { write: write.bind(destination) }));
}

/** The format of lines on stderr. */
export function stderrFormat(format: LogFormat | undefined): LogFormat {
  return format ?? (process.stderr.isTTY ? "text" : "json");
}

/** The same logger, for fields of any size. */
function bounded(logger: Logger): Logger {
  return {
    debug: (fields, message) => logger.debug(boundedFields(fields), message),
    info: (fields, message) => logger.info(boundedFields(fields), message),
    warn: (fields, message) => logger.warn(boundedFields(fields), message),
    error: (fields, message) => logger.error(boundedFields(fields), message),
    child: (fields) => bounded(logger.child(boundedFields(fields))),
  };
}
